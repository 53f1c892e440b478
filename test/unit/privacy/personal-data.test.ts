import { readdirSync, readFileSync } from 'node:fs';
import mongoose from 'mongoose';
import { expect, test } from 'vitest';
import { listModels, modelsOf } from '../../../src/database/models.ts';
import { PERSONAL_FIELDS } from '../../../src/database/personal-collections.ts';
import { PERSONAL_DATA } from '../../../src/features/erasure/personal-data.ts';

const models = listModels(modelsOf(mongoose.createConnection()));
const collections = models.map(({ collection }) => collection.collectionName);

const sources = readdirSync('src/features', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && path.includes('erasure') && !path.endsWith('personal-data.ts'))
  .map((path) => readFileSync(`src/features/${path}`, 'utf8'))
  .join('\n');

test('every collection is listed, with what erases it or why it holds nothing about people', () => {
  expect(Object.keys(PERSONAL_DATA).toSorted()).toEqual(collections.toSorted());
});

test('every step that erases something exists', () => {
  const named = Object.values(PERSONAL_DATA).flatMap((one) => ('erasedBy' in one ? one.erasedBy : []));
  for (const name of new Set(named)) expect(sources).toContain(`'${name}'`);
});

test('docs/privacy.md lists every collection with personal data', () => {
  const documented = readFileSync('docs/privacy.md', 'utf8');
  for (const [name, one] of Object.entries(PERSONAL_DATA))
    if ('erasedBy' in one) expect(documented).toContain(`\`${name}\``);
});

test('what is not exported is stored elsewhere as well, or belongs to no customer', () => {
  const reasons = Object.entries(PERSONAL_DATA).flatMap(([name, one]) =>
    'whyNotExported' in one ? [name] : [],
  );
  expect(reasons).toEqual([
    ...['stagedConversations', 'idempotencyKeys', 'meetingPostings', 'driftAlerts', 'driftAlertRecords'],
  ]);
});

test.each(PERSONAL_FIELDS.map((personal) => [personal.collection, personal] as const))(
  'what PII_ENCRYPTION encrypts in %s is personal data, documented, and not cast by mongoose',
  (name, { fields = [], elements, hashed }) => {
    expect(PERSONAL_DATA[name]).toHaveProperty('erasedBy');
    const documented = readFileSync('docs/privacy.md', 'utf8');
    const [, section = ''] = documented.split('## Encryption at rest');
    expect(section.split('**Not covered yet**')[0]).toContain(`| \`${name}\` |`);
    const { schema } = models.find(({ collection }) => collection.collectionName === name) ?? {};
    for (const field of fields) expect(schema?.path(field), field).toMatchObject({ instance: 'Mixed' });
    for (const array of [elements?.array, hashed?.field])
      if (array) expect(schema?.path(array)).toMatchObject({ instance: 'Array' });
  },
);
