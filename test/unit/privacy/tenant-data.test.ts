import { readFileSync } from 'node:fs';
import mongoose from 'mongoose';
import { expect, test } from 'vitest';
import { listModels, modelsOf } from '../../../src/database/models.ts';
import { TENANT_DATA } from '../../../src/database/tenant-data.ts';
import { SETTLE_MS } from '../../../src/features/erasure/tenant-removal.ts';
import { TENANT_TTL_MS } from '../../../src/features/tenants/tenants.store.ts';

const collections = listModels(modelsOf(mongoose.createConnection())).map(
  ({ collection }) => collection.collectionName,
);

test('every collection is listed, with how a tenant is removed from it or why it stays', () => {
  expect(Object.keys(TENANT_DATA).toSorted()).toEqual(collections.toSorted());
});

test('a deletion outlasts a cached tenant', () => {
  expect(TENANT_TTL_MS).toBeLessThan(SETTLE_MS);
});

test('keys are removed last', () => {
  const removed = Object.entries(TENANT_DATA).flatMap(([name, data]) => ('kept' in data ? [] : [name]));
  expect(removed.slice(-2)).toEqual(['apiKeys', 'meetingRecordKeys']);
});

test('docs/privacy.md names the collections with documents that stay', () => {
  const documented = readFileSync('docs/privacy.md', 'utf8');
  for (const [name, data] of Object.entries(TENANT_DATA))
    if (
      'kept' in data &&
      !data.kept.startsWith('Of the service') &&
      !['tenants', 'privacyKeys'].includes(name)
    )
      expect(documented).toContain(`\`${name}\``);
});
