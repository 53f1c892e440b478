import { readFileSync } from 'node:fs';
import mongoose from 'mongoose';
import { expect, test } from 'vitest';
import { listModels, modelsOf } from '../../../src/database/models.ts';
import { PERSONAL_FIELDS } from '../../../src/database/personal-collections.ts';
import { conversationErasure } from '../../../src/features/conversations/conversation-erasure.store.ts';
import { alertErasure } from '../../../src/features/drift/alerts/alert-erasure.store.ts';
import { idempotencyErasure } from '../../../src/features/erasure/idempotency-erasure.ts';
import { PERSONAL_DATA } from '../../../src/features/erasure/personal-data.ts';
import { meetingErasure } from '../../../src/features/meetings/stored-meetings/meeting-erasure.store.ts';
import { outboxErasureStore } from '../../../src/features/outbox/outbox-erasure.store.ts';
import { timelineErasure } from '../../../src/features/outbox/timeline-erasure.store.ts';
import { previewEventErasure } from '../../../src/features/preview-events/preview-event-erasure.store.ts';
import { NO_ENCRYPTION } from '../../../src/features/privacy/field-encryption.ts';
import { deliveryErasureStore } from '../../../src/features/webhooks/delivery/delivery-erasure.store.ts';
import { eventErasure } from '../../../src/features/webhooks/event-erasure.ts';

const byName = modelsOf(mongoose.createConnection());
const models = listModels(byName);
const collections = models.map(({ collection }) => collection.collectionName);

/** For what the steps use only when they run. */
const unused = {} as never;
const archive = timelineErasure(byName, NO_ENCRYPTION);
const events = eventErasure({
  events: outboxErasureStore(byName, NO_ENCRYPTION),
  deliveries: deliveryErasureStore(byName, NO_ENCRYPTION),
});
const steps = [
  conversationErasure(byName, {
    dependants: [events.ofConversations, archive.ofConversations],
    encryption: NO_ENCRYPTION,
    imports: unused,
  }).personalData,
  events.personalData,
  archive.personalData,
  previewEventErasure(byName, NO_ENCRYPTION).personalData,
  idempotencyErasure({ answers: unused, ownConversations: unused }).personalData,
  meetingErasure({
    models: byName,
    ...{ mappings: unused, providerRecords: unused, index: unused, clock: unused },
    encryption: NO_ENCRYPTION,
  }).personalData,
  alertErasure(byName),
].flatMap((personalData) => personalData.steps);

test('every collection is listed, with what erases it or why it holds nothing about people', () => {
  expect(Object.keys(PERSONAL_DATA).toSorted()).toEqual(collections.toSorted());
});

test('the names of the steps are unique', () => {
  const names = steps.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});

test.each(
  Object.entries(PERSONAL_DATA).flatMap(([collection, one]) =>
    'erasedBy' in one ? one.erasedBy.map((name) => [name, collection] as const) : [],
  ),
)('the step %s erases from %s', (name, collection) => {
  expect(steps.find((step) => step.name === name)?.collections).toContain(collection);
});

test('the ids that a step finds are of a collection that it erases from', () => {
  for (const { name, collections, idsOf } of steps) expect(collections, name).toContain(idsOf);
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
