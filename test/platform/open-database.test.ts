import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/database.ts';
import { startTestMongo } from '../support/mongo.ts';

/** Longer than several attempts. */
const OUTAGE_MS = 1_000;

test('a start continues after an election that ends the creation of an index', {
  timeout: 60_000,
}, async () => {
  await using stack = new AsyncDisposableStack();
  const mongo = stack.adopt(await startTestMongo({ failpoints: true }), (started) => started.stop());
  await mongo.failCommands({ commands: ['createIndexes'], collection: 'webhookDeliveries' });
  let isOpen = false;
  const opening = openDatabase(mongo.uri).finally(() => {
    isOpen = true;
  });
  await Promise.race([opening, sleep(OUTAGE_MS)]);
  expect(isOpen).toBe(false);
  await mongo.failCommands('off');
  const { connection, models } = await opening;
  stack.defer(() => connection.close());
  expect(await models.Delivery.listIndexes()).toHaveLength(models.Delivery.schema.indexes().length + 1);
});
