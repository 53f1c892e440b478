import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose, { type Connection } from 'mongoose';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Feed, tenantFeed } from '../../src/features/tenants/tenant-feed.ts';
import { createChangeHistory } from '../../src/platform/mongo/change-history.ts';
import {
  deliveredUntil,
  endOfCommit,
  endOfTime,
  isChangeId,
  toChangeId,
} from '../../src/platform/mongo/change-id.ts';
import { type Changes, createChanges } from '../../src/platform/mongo/change-stream.ts';
import { freshDatabase } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';

interface Item {
  _id: number;
  customerId: number;
  kind?: string;
}

const log = pino({ level: 'silent' });
const createHub = (connection: Connection) =>
  createChanges(connection, { items: ({ customerId }: Item) => customerId }, log);

let connection: Connection;
/** The change streams of two processes. */
let changes: Changes;
let otherChanges: Changes;
beforeAll(async () => {
  connection = await mongoose.createConnection(freshDatabase()).asPromise();
});
afterAll(async () => {
  await connection.close();
});

const feeds: Feed<number>[] = [];
let nextId = 0;
beforeEach(async () => {
  await connection.createCollection('items').catch(() => {});
  changes = createHub(connection);
  otherChanges = createHub(connection);
});
afterEach(async () => {
  await Promise.all(feeds.splice(0).map((feed) => feed.return()));
  await changes.close();
  await otherChanges.close();
});

async function insert(count: number, item: Omit<Item, '_id'> = { customerId: 1 }): Promise<number[]> {
  const ids = Array.from({ length: count }, () => nextId++);
  for (const _id of ids) await connection.collection<Item>('items').insertOne({ _id, ...item });
  return ids;
}

/** Inserts items in batches. */
async function insertMany(count: number): Promise<number[]> {
  const ids = Array.from({ length: count }, () => nextId++);
  for (let i = 0; i < count; i += 100)
    await connection
      .collection<Item>('items')
      .insertMany(ids.slice(i, i + 100).map((_id) => ({ _id, customerId: 1 })));
  return ids;
}

interface SubscribeOptions {
  hub?: Changes;
  customerId?: number;
  kind?: string;
  signal?: AbortSignal;
}

async function subscribe(after: string | null, options: SubscribeOptions = {}) {
  const { hub = changes, customerId = 1, kind = '' } = options;
  const tenant = { customerId, orgId: 'o', name: 'n', createdAt: new Date() };
  const feed = await tenantFeed<Item, number>(hub, {
    collection: 'items',
    principal: {
      ...{ keyId: 'k', keyName: null, keyPrefix: 'eg_r_abcdef', scope: 'read', tenant, expiresAt: null },
      ...{ resources: null, networks: null },
    },
    tenant,
    filter: kind === '' ? {} : { kind },
    convert: ({ _id }) => _id,
    after,
    ...(options.signal && { signal: options.signal }),
  });
  feeds.push(feed);
  return feed;
}

async function take(feed: Feed<number>, count: number) {
  const events: { id: string; value: number }[] = [];
  while (events.length < count) {
    const { done, value } = await feed.next();
    if (done) break;
    events.push(value);
  }
  return events;
}

const valuesOf = (events: { value: number }[]) => events.map(({ value }) => value);

/** Inserts items, and returns the events that a subscriber received for them. */
async function received(count: number) {
  const feed = await subscribe(null);
  await insert(count);
  const events = await take(feed, count);
  await feed.return();
  return events;
}

const idAt = (events: { id: string }[], index: number): string => events.at(index)?.id ?? '';

/** Number of change streams of this database, those that are being opened or between two reads included. */
const openStreams = async (): Promise<number> =>
  (
    await connection
      .getClient()
      .db('admin')
      .aggregate([
        { $currentOp: { idleCursors: true } },
        {
          $match: {
            $or: ['command', 'cursor.originatingCommand'].map((command) => ({
              [`${command}.$db`]: connection.name,
              [`${command}.pipeline.0.$changeStream`]: { $exists: true },
            })),
          },
        },
      ])
      .toArray()
  ).length;

test('the ids of events increase, also within one transaction', async () => {
  const feed = await subscribe(null);
  await insert(3);
  await connection.transaction(async (session) => {
    for (let i = 0; i < 5; i++) {
      await connection.collection<Item>('items').insertOne({ _id: nextId++, customerId: 1 }, { session });
    }
  });
  const ids = (await take(feed, 8)).map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].sort());
});

test('a subscriber resumes after an event, in another process, with the changes of its tenant alone', async () => {
  const events = await received(5);
  await insert(3, { customerId: 2 });
  const later = await insert(2);
  await insert(1, { customerId: 2 });
  const feed = await subscribe(idAt(events, 1), { hub: otherChanges });
  expect(valuesOf(await take(feed, 5))).toEqual([...valuesOf(events.slice(2)), ...later]);
  const live = await insert(3);
  expect(valuesOf(await take(feed, 3))).toEqual(live);
  // Only the shared stream remains once the past has been read.
  await eventually(async () => (await openStreams()) === 1);
});

test('a subscriber resumes within a transaction', async () => {
  const feed = await subscribe(null);
  const ids = [nextId++, nextId++, nextId++, nextId++];
  await connection.transaction(async (session) => {
    for (const _id of ids)
      await connection.collection<Item>('items').insertOne({ _id, customerId: 1 }, { session });
  });
  const events = await take(feed, 4);
  expect(valuesOf(await take(await subscribe(idAt(events, 1)), 2))).toEqual(ids.slice(2));
});

test('a subscriber that has missed nothing receives later changes at once', async () => {
  const events = await received(2);
  const started = performance.now();
  const feed = await subscribe(idAt(events, -1));
  expect(performance.now() - started).toBeLessThan(15_000);
  const live = await insert(2);
  expect(valuesOf(await take(feed, 2))).toEqual(live);
});

test('no change is missed or repeated at the transition, while changes continue', async () => {
  const events = await received(1);
  const expected = await insert(500);
  let writing = true;
  const write = async () => {
    while (writing && expected.length < 3_000) expected.push(...(await insert(1)));
  };
  const done = write();
  const resumed = await Promise.all(
    Array.from({ length: 5 }, (_, i) => subscribe(idAt(events, 0), { hub: i % 2 ? changes : otherChanges })),
  );
  await Promise.all(resumed.map((feed) => take(feed, 300)));
  writing = false;
  await done;
  for (const feed of resumed) {
    const values = valuesOf(await take(feed, expected.length - 300));
    expect(values).toEqual(expected.slice(300));
  }
});

test('no change is missed if more of them happen during the catch-up than are buffered', async () => {
  const events = await received(1);
  const expected = await insert(10);
  const feed = await subscribe(idAt(events, 0));
  // Not read meanwhile: the buffer of 1,000 live changes overflows twice.
  expected.push(...(await insertMany(2_500)));
  expect(valuesOf(await take(feed, expected.length))).toEqual(expected);
});

test('a slow subscriber misses no change, and receives none twice', async () => {
  const feed = await subscribe(null);
  const expected = await insert(1);
  const events = await take(feed, 1);
  for (const read of [1_200, 300, 1_200]) {
    // The buffer overflows, again before the history has been read.
    expected.push(...(await insertMany(2_500)));
    events.push(...(await take(feed, read)));
  }
  expected.push(...(await insert(3)));
  events.push(...(await take(feed, expected.length - events.length)));
  expect(valuesOf(events)).toEqual(expected);
  await eventually(async () => (await openStreams()) === 1);
});

test('a subscriber that reads nothing receives the first changes, then the end', async () => {
  const feed = await subscribe(null);
  const inserted = await insertMany(1_500);
  expect(valuesOf(await take(feed, 1_500))).toEqual(inserted.slice(0, 1_000));
  expect(changes.listenerCount()).toBe(0);
});

test('the filter of the subscription applies to past changes', async () => {
  const before = await subscribe(null, { kind: 'a' });
  await insert(1, { customerId: 1, kind: 'a' });
  const [event] = await take(before, 1);
  await insert(2);
  const wanted = await insert(1, { customerId: 1, kind: 'a' });
  const feed = await subscribe(event?.id ?? '', { kind: 'a' });
  expect(valuesOf(await take(feed, 1))).toEqual(wanted);
});

test('a subscription that ends during the catch-up leaves neither listener nor stream', async () => {
  const events = await received(1);
  await insert(50);
  const feed = await subscribe(idAt(events, 0));
  await take(feed, 1);
  const pending = feed.next();
  await feed.return();
  await pending;
  expect((await feed.next()).done).toBe(true);
  expect(changes.listenerCount()).toBe(0);
  await eventually(async () => (await openStreams()) === 0);
});

test('the search for past changes ends in the database with its reader', async () => {
  const [event] = await received(1);
  const items = connection.collection<Item & { version?: number }>('items');
  const [_id = 0] = await insert(1, { customerId: 2 });
  // Changes of another tenant, for whose documents the search takes seconds.
  for (let round = 0; round < 20; round++)
    await items.bulkWrite(
      Array.from({ length: 1_000 }, (_, i) => ({
        updateOne: { filter: { _id }, update: { $set: { version: round * 1_000 + i } } },
      })),
    );
  const end = `82F${'0'.repeat(17)}`;
  for (const afterMs of [0, 5, 200]) {
    const history = createChangeHistory(connection, {
      collection: 'items',
      filter: { customerId: 1 },
      after: event?.id ?? '',
    });
    const reading = history.next((id) => id < end);
    await sleep(afterMs);
    history.close();
    expect(await reading).toBeNull();
    await eventually(async () => (await openStreams()) === 0);
  }
});

test('a subscription whose client disconnects before it has begun leaves neither listener nor stream', async () => {
  const events = await received(1);
  await insert(1);
  const client = new AbortController();
  const beginning = subscribe(idAt(events, 0), { signal: client.signal });
  setImmediate(() => client.abort());
  expect(await take(await beginning, 1)).toEqual([]);
  expect(changes.listenerCount()).toBe(0);
  await eventually(async () => (await openStreams()) === 0);
});

test('an id that no event has is VALIDATION_FAILED', async () => {
  const [event] = await received(1);
  const id = event?.id ?? '';
  const forged = [
    '',
    'x',
    '82',
    '82ABCDEF',
    id.toLowerCase(),
    `82${'F'.repeat(300)}`,
    id.slice(0, -4),
    // Of the future, which the database would wait for.
    `82F0000000${id.slice(10)}`,
    ...Array.from({ length: 20 }, () => `82${randomBytes(40).toString('hex').toUpperCase()}`),
  ];
  for (const after of forged) {
    await expect(subscribe(after), after).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ path: 'Last-Event-ID' }],
    });
  }
  expect(changes.listenerCount()).toBe(0);
  await eventually(async () => (await openStreams()) === 0);
});

test('an id with an altered digit is refused or names a position, and never crashes', async () => {
  const [event] = await received(1);
  const id = event?.id ?? '';
  await insert(2);
  for (let i = 2; i < id.length; i++) {
    const digit = id[i] === 'A' ? 'B' : 'A';
    const altered = id.slice(0, i) + digit + id.slice(i + 1);
    try {
      await (await subscribe(altered)).return();
    } catch (error) {
      expect(error).toMatchObject({ code: 'VALIDATION_FAILED' });
    }
  }
});

test('events that the oplog no longer contains are NOT_FOUND', async () => {
  const [event] = await received(1);
  const lost = new mongoose.mongo.MongoServerError({ message: 'lost', code: 286 });
  const stub = {
    name: 'db',
    getClient: () => ({
      db: () => ({
        collection: () => ({
          watch: () => ({ once: () => {}, tryNext: () => Promise.reject(lost), close: async () => {} }),
        }),
        command: (command: object) => connection.getClient().db('admin').command(command),
      }),
    }),
  } as unknown as Connection;
  const history = createChangeHistory(stub, { collection: 'items', filter: {}, after: event?.id ?? '' });
  await expect(history.next(() => true)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await history.next(() => true)).toBeNull();
});

test('the id of a change begins with the time of its commit, and is longer than the token of a position', async () => {
  const stream = connection.collection('items').watch();
  await using _closing = { [Symbol.asyncDispose]: () => stream.close() };
  const next = stream.next();
  await new Promise((resolve) => stream.once('resumeTokenChanged', resolve));
  expect(deliveredUntil(stream.resumeToken)).not.toBe(toChangeId(stream.resumeToken));
  await insert(1);
  const { _id, clusterTime } = (await next) as { _id: unknown; clusterTime: { t: number; i: number } };
  const id = toChangeId(_id);
  expect(isChangeId(id)).toBe(true);
  expect(id < endOfTime(clusterTime)).toBe(true);
  expect(id > endOfTime({ t: clusterTime.t, i: clusterTime.i - 1 })).toBe(true);
  expect(endOfCommit(id)).toBe(endOfTime(clusterTime));
  expect(deliveredUntil(_id)).toBe(id);
});
