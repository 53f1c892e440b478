import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/database/models.ts';
import { freshDatabase } from '../support/databases.ts';
import { startTestMongo } from '../support/mongo.ts';

/** Longer than several attempts. */
const OUTAGE_MS = 1_000;

test('a start continues after an election that ends the creation of an index', async () => {
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

test("a start replaces an index of an earlier version that has other options, and keeps the operator's own", async () => {
  await using stack = new AsyncDisposableStack();
  const uri = freshDatabase();
  const earlier = stack.adopt(await mongoose.createConnection(uri).asPromise(), (opened) => opened.close());
  // Without the indexes of this version.
  await earlier.dropDatabase();
  stack.defer(() => earlier.dropDatabase());
  const conversations = earlier.collection('conversations');
  await conversations.createIndex(
    { customerId: 1, importId: 1 },
    { unique: true, partialFilterExpression: { importId: { $exists: true } } },
  );
  await conversations.createIndex({ goal: 1 }, { name: 'of the operator' });

  const opened = await Promise.all([openDatabase(uri), openDatabase(uri)]);
  for (const { connection } of opened) stack.defer(() => connection.close());

  const indexes = await conversations.listIndexes().toArray();
  expect(indexes.find(({ name }) => name === 'customerId_1_importId_1')).not.toHaveProperty('unique');
  expect(indexes.map(({ name }) => name)).toContain('of the operator');
});
