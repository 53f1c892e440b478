import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditStore } from '../../src/features/audit/audit.store.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { startTestMongo, type TestMongo } from '../support/mongo.ts';
import { endpointsPath } from '../webhooks/support.ts';

let mongo: TestMongo;
let app: TestApp;

beforeAll(async () => {
  mongo = await startTestMongo({ members: 3 });
  app = await startApp({ MONGODB_URI: mongo.uri, DRIFT_CHECK_SCHEDULE: 'off' });
});
afterAll(async () => {
  await mongo.unlockSecondaries().catch(() => {});
  await app.stop();
  await mongo.stop();
});

test('the heads that verification compares and anchors are those that no failover undoes', async () => {
  const { customerId, write } = await app.newTenant();
  const body = { url: 'https://receiver.example.com/hooks' };
  await app.request('POST', endpointsPath(customerId), { key: write, body });
  const store = auditStore(app.models);
  const { sequence = 0 } = (await store.head(customerId)) ?? {};
  expect(sequence).toBeGreaterThan(0);
  await mongo.lockSecondaries();
  const later = { $set: { sequence: sequence + 1 } };
  await app.models.AuditHead.updateOne({ _id: customerId }, later, { writeConcern: { w: 1 } });
  expect((await store.head(customerId))?.sequence).toBe(sequence + 1);
  const heads = await Array.fromAsync(store.heads());
  expect(heads.find(({ _id }) => _id === customerId)?.sequence).toBe(sequence);
  expect((await store.majorityHead(customerId))?.sequence).toBe(sequence);
});
