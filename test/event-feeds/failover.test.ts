import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventLogStore } from '../../src/features/event-feeds/event-log.store.ts';
import { cursorOf, feedPositions } from '../../src/features/event-feeds/feed-positions.ts';
import type { Tenant } from '../../src/features/tenants/tenants.types.ts';
import { newObjectId } from '../../src/platform/mongo/object-id.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { startTestMongo, type TestMongo } from '../support/mongo.ts';

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

test('a cursor is valid on a new primary that does not know yet what a majority has', async () => {
  const { customerId } = await app.newTenant();
  const tenant = { customerId } as Tenant;
  const logs = eventLogStore(app.models, app.clock);
  const positions = feedPositions({ logs } as unknown as Parameters<typeof feedPositions>[0]);
  // Stands for an entry that an earlier primary knew to be on a majority.
  await mongo.lockSecondaries();
  const entry = { _id: newObjectId(app.clock.now()), customerId, sequence: 1 };
  await app.models.EventLogEntry.collection.insertOne(entry, { writeConcern: { w: 1 } });
  expect(await logs.lastSequence(tenant)).toBe(0);
  expect(await positions.decode(tenant, cursorOf(tenant).encode(1))).toBe(1);
  await expect(positions.decode(tenant, cursorOf(tenant).encode(2))).rejects.toThrow();
});
