import { setImmediate as nextTurn } from 'node:timers/promises';
import mongoose from 'mongoose';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createCommitter } from '../../src/platform/commit/committer.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { newObjectId } from '../../src/platform/mongo/object-id.ts';
import { systemRuntime } from '../../src/platform/runtime.ts';
import type { Traced } from '../../src/platform/tracing/tracing.ts';
import { startTestMongo, type TestMongo } from '../support/mongo.ts';

/** The tenant whose shard fails, and another one. Each has a collection of its own instead of a shard. */
const FAILING = 1;
const HEALTHY = 2;
const COLLECTIONS: Record<number, string> = { [FAILING]: 'first', [HEALTHY]: 'second' };

interface Event extends Traced {
  customerId: number;
  _id: mongoose.Types.ObjectId;
}

let database: TestMongo;
let connection: mongoose.Connection;
let committer: ReturnType<typeof createTestCommitter>;
let open: number;
/** Timers of the committer, in milliseconds: the longest is the time limit of a group. */
let timers: Set<number>;

beforeAll(async () => {
  database = await startTestMongo({ failpoints: true });
  connection = await mongoose.createConnection(database.uri).asPromise();
});
afterAll(async () => {
  await connection?.close();
  await database?.stop();
});
beforeEach(async () => {
  for (const name of Object.values(COLLECTIONS)) await collectionOf(name).deleteMany();
  open = 0;
  timers = new Set();
  committer = createTestCommitter();
});
afterEach(async () => {
  await database.failCommands('off');
  await committer.idle();
});

const collectionOf = (name: string) =>
  connection.getClient().db(connection.name).collection(name) as unknown as mongoose.mongo.Collection;

function createTestCommitter() {
  return createCommitter<Event, mongoose.Types.ObjectId>({
    connection,
    async expand(events) {
      open += events.length;
      return {
        events: events.map((event) => ({
          collection: collectionOf(COLLECTIONS[event.customerId] ?? ''),
          operation: { insertOne: { document: event } },
          guards: 0,
          document: { _id: event._id, customerId: event.customerId },
        })),
        derived: [],
        effects: events.map(() => newObjectId(new Date())),
        committed() {
          open -= events.length;
        },
        aborted() {
          open -= events.length;
        },
      };
    },
    tenantOf: ({ customerId }) => customerId,
    runtime: {
      ...systemRuntime,
      after(ms, run) {
        timers.add(ms);
        return systemRuntime.after(ms, run);
      },
    },
    log: createLogger('silent'),
    tracing: null,
  });
}

const publish = (customerId: number) =>
  committer.commit(() => ({
    writes: [],
    events: [{ _id: newObjectId(new Date()), customerId }],
    result: null,
  }));

test.each([
  ['closes connections', { closeConnection: true }],
  ['does not respond', { blockConnection: true, blockTimeMS: 20_000 }],
] as const)('a shard that %s delays publications of other tenants by a second', async (_name, failure) => {
  await Promise.all([publish(FAILING), publish(HEALTHY)]);
  await database.failCommands({ commands: ['insert'], collection: 'first', failure });
  const failing: Promise<unknown>[] = [];
  for (let round = 0; round < 8; round += 1) {
    const ofGroup = [publish(FAILING), publish(FAILING)];
    failing.push(...ofGroup);
    await publish(HEALTHY);
    // Without the time limit, one insert would end for all of them.
    expect(await Promise.race([...ofGroup, nextTurn('publishing')])).toBe('publishing');
  }
  expect(Math.max(...timers)).toBe(1_000);
  expect(await collectionOf('second').countDocuments()).toBe(9);

  await database.failCommands('off');
  await Promise.all(failing);
  await committer.idle();
  expect(await collectionOf('first').countDocuments()).toBe(17);
  expect(open).toBe(0);
});

test('a publication that is refused in a group of several tenants is the only one without a document', async () => {
  await connection.db?.dropCollection('first').catch(() => {});
  const refused = newObjectId(new Date());
  await connection.db?.createCollection('first', { validator: { _id: { $ne: refused } } });
  const ids = [newObjectId(new Date()), refused, newObjectId(new Date())];
  const publications = [FAILING, FAILING, HEALTHY].map((customerId, index) =>
    committer.commit(() => ({
      writes: [],
      events: [{ _id: ids[index] ?? refused, customerId }],
      result: null,
    })),
  );
  const results = await Promise.allSettled(publications);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await collectionOf('first').distinct('_id')).toEqual([ids[0]]);
  expect(await collectionOf('second').distinct('_id')).toEqual([ids[2]]);
  expect(open).toBe(0);
});
