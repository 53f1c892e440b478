import type { mongo } from 'mongoose';
import mongoose from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createCommitter } from '../../src/platform/commit/committer.ts';
import type { Write } from '../../src/platform/commit/unit-of-work.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { duplicateKeyOf } from '../../src/platform/mongo/duplicate-key.ts';
import type { Traced } from '../../src/platform/tracing/tracing.ts';
import { freshDatabase } from '../support/databases.ts';

const UNITS = 64;
let connection: mongoose.Connection;
let collection: mongo.Collection<{ _id: string }>;
let transactions: { committed: number; aborted: number };

beforeAll(async () => {
  connection = await mongoose.createConnection(freshDatabase(), { monitorCommands: true }).asPromise();
  connection.getClient().on('commandStarted', ({ commandName }) => {
    if (commandName === 'commitTransaction') transactions.committed += 1;
    if (commandName === 'abortTransaction') transactions.aborted += 1;
  });
  collection = connection.getClient().db(connection.name).collection('documents');
});
beforeEach(async () => {
  await collection.deleteMany();
  transactions = { committed: 0, aborted: 0 };
});
afterAll(async () => {
  await connection.close();
});

const insertion = (_id: string): Write => ({
  collection: collection as unknown as mongo.Collection,
  operation: { insertOne: { document: { _id } } } as unknown as mongo.AnyBulkWriteOperation,
  guards: 0,
});

const guardedChange = (_id: string): Write => ({
  collection: collection as unknown as mongo.Collection,
  operation: { updateOne: { filter: { _id }, update: { $set: { changed: true } } } } as never,
  guards: 1,
});

const createTestCommitter = () =>
  createCommitter<never, never>({
    connection,
    expand: () => Promise.reject(new Error('no unit has events')),
    tenantOf: () => 1,
    log: createLogger('silent'),
    tracing: null,
  });

/** Commits one unit per write, all of one group. */
function commitAll(writes: Write[]) {
  const committer = createTestCommitter();
  return Promise.allSettled(
    writes.map((write) => committer.commit(() => ({ writes: [write], events: [], result: null }))),
  );
}

const ids = (count: number) => Array.from({ length: count }, (_, index) => `id${index}`);

test('units of one group share a transaction', async () => {
  await commitAll(ids(UNITS).map(insertion));
  expect(await collection.countDocuments()).toBe(UNITS);
  expect(transactions).toEqual({ committed: 1, aborted: 0 });
});

test('a unit with a duplicate key is rejected, and the others are committed together', async () => {
  await collection.insertMany([{ _id: 'id5' }, { _id: 'id40' }]);
  const results = await commitAll(ids(UNITS).map(insertion));
  const rejected = results.flatMap((result, index) =>
    result.status === 'rejected' ? [[index, result.reason]] : [],
  );
  expect(rejected.map(([index, error]) => [index, duplicateKeyOf(error)])).toEqual([
    [5, '_id'],
    [40, '_id'],
  ]);
  expect(await collection.countDocuments()).toBe(UNITS);
  expect(transactions).toEqual({ committed: 1, aborted: 2 });
});

test('of two units with the same key the first is committed before the second is rejected', async () => {
  const results = await commitAll([...ids(10), 'id3'].map(insertion));
  expect(results.map(({ status }) => status)).toEqual([...Array(10).fill('fulfilled'), 'rejected']);
  expect(await collection.countDocuments()).toBe(10);
  expect(transactions).toEqual({ committed: 1, aborted: 1 });
});

test('a unit whose guarded write matches nothing is isolated in few transactions', async () => {
  const writes = ids(UNITS).map(insertion);
  let plans = 0;
  const committer = createTestCommitter();
  const others = writes.map((write) =>
    committer.commit(() => ({ writes: [write], events: [], result: null })),
  );
  const guarded = committer.commit(() => {
    plans += 1;
    return { writes: plans === 1 ? [guardedChange('absent')] : [], events: [], result: 'unchanged' };
  });
  await Promise.all(others);
  expect((await guarded).result).toBe('unchanged');
  expect(await collection.countDocuments()).toBe(UNITS);
  expect(transactions.committed + transactions.aborted).toBeLessThanOrEqual(2 * Math.log2(UNITS) + 3);
});

test('a publication that the database refuses is rejected, and the others of its group are committed', async () => {
  const documents: mongo.Collection<{ _id: string; customerId: number }> = connection
    .getClient()
    .db(connection.name)
    .collection('publications');
  await documents.drop().catch(() => {});
  await connection.db?.createCollection('publications', { validator: { _id: { $nin: ['id5', 'id40'] } } });
  let open = 0;
  const committer = createCommitter<Traced & { id: string }, string>({
    connection,
    expand: async (events) => {
      open += events.length;
      return {
        events: events.map(({ id }) => {
          const document = { _id: id, customerId: 1 };
          return {
            collection: documents as unknown as mongo.Collection,
            operation: { insertOne: { document } } as unknown as mongo.AnyBulkWriteOperation,
            guards: 0,
            document: document as never,
          };
        }),
        derived: [],
        effects: events.map(({ id }) => id),
        committed() {
          open -= events.length;
        },
        aborted() {
          open -= events.length;
        },
      };
    },
    tenantOf: () => 1,
    log: createLogger('silent'),
    tracing: null,
  });
  try {
    const results = await Promise.allSettled(
      ids(UNITS).map((id) => committer.commit(() => ({ writes: [], events: [{ id }], result: id }))),
    );
    const rejected = results.flatMap((result, index) =>
      result.status === 'rejected' ? [[index, result.reason.code]] : [],
    );
    const DOCUMENT_VALIDATION_FAILURE = 121;
    expect(rejected).toEqual([
      [5, DOCUMENT_VALIDATION_FAILURE],
      [40, DOCUMENT_VALIDATION_FAILURE],
    ]);
    for (const [index, result] of results.entries())
      if (result.status === 'fulfilled')
        expect(result.value).toEqual({ result: `id${index}`, effects: [`id${index}`] });
    expect(await documents.countDocuments()).toBe(UNITS - 2);
    expect(open).toBe(0);
  } finally {
    await documents.drop();
  }
});

describe('while another transaction holds a document', () => {
  /** Holds a document, as the transaction of a killed process does for up to a minute. */
  async function hold(_id: string) {
    const session = await connection.getClient().startSession();
    session.startTransaction();
    await collection.insertOne({ _id }, { session });
    return {
      async release() {
        await session.abortTransaction();
        await session.endSession();
      },
    };
  }

  test('the other units of a group are committed', async () => {
    const held = await hold('id7');
    const committer = createTestCommitter();
    const others = ids(UNITS).filter((id) => id !== 'id7');
    const conflicting = committer.commit(() => ({ writes: [insertion('id7')], events: [], result: null }));
    await Promise.all(
      others.map((id) => committer.commit(() => ({ writes: [insertion(id)], events: [], result: null }))),
    );
    expect(await Promise.race([conflicting, 'in progress'])).toBe('in progress');
    await held.release();
    await conflicting;
    expect(await collection.countDocuments()).toBe(UNITS);
  });

  test('its unit is rejected within seconds, and says when to retry', async () => {
    const held = await hold('a');
    const [result] = await commitAll([insertion('a')]);
    expect(result).toMatchObject({ status: 'rejected', reason: { code: 'CONFLICT', retryAfter: 1 } });
    await held.release();
    expect(await commitAll([insertion('a')])).toMatchObject([{ status: 'fulfilled' }]);
  });
});
