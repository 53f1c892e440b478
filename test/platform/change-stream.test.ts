import { EventEmitter } from 'node:events';
import mongoose, { type Connection } from 'mongoose';
import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tenantFeed } from '../../src/features/tenants/tenant-feed.ts';
import { type Changes, createChanges } from '../../src/platform/mongo/change-stream.ts';
import { freshDatabase } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';

interface Item {
  _id: number;
  owner: string;
}

const log = pino({ level: 'silent' });
const ITEMS = { items: ({ owner }: Item) => owner };

let connection: Connection;
let changes: Changes;
beforeAll(async () => {
  connection = await mongoose.createConnection(freshDatabase()).asPromise();
  await connection.createCollection('items');
  changes = createChanges(connection, ITEMS, log);
});
afterAll(async () => {
  await changes.close();
  await connection.close();
});

const insert = (_id: number, owner = 'a') => connection.collection<Item>('items').insertOne({ _id, owner });

/** Listens, and waits until the change stream is open. */
async function listen(owner: string) {
  const seen: number[] = [];
  let gaps = 0;
  const stop = changes.listen<Item>('items', owner, {
    onChange: ({ _id }) => seen.push(_id),
    onGap: () => gaps++,
  });
  await changes.opened();
  return { seen, gaps: () => gaps, stop };
}

/** Aborts the change stream's read in the database, which the driver does not recover from by itself. */
async function killStream(): Promise<void> {
  const admin = connection.getClient().db('admin');
  await eventually(async () => {
    const operations = await admin
      .aggregate([
        { $currentOp: { allUsers: true } },
        { $match: { op: 'getmore', ns: new RegExp(`^${connection.name}\\.`) } },
      ])
      .toArray();
    for (const { opid } of operations) await admin.command({ killOp: 1, op: opid });
    return operations.length > 0;
  });
}

test('a listener receives the changes of its key alone', async () => {
  const [a, b] = [await listen('a'), await listen('b')];
  a.seen.length = 0;
  await insert(1, 'a');
  await insert(2, 'b');
  await insert(3, 'a');
  await eventually(async () => a.seen.length === 2 && b.seen.length === 1);
  expect([a.seen, b.seen]).toEqual([[1, 3], [2]]);
  a.stop();
  b.stop();
});

test('no change is missed when the stream fails', async () => {
  const { seen, gaps, stop } = await listen('a');
  await insert(10);
  await eventually(async () => seen.length === 1);
  await killStream();
  // While the stream is closed.
  for (let id = 11; id <= 30; id++) await insert(id);
  await eventually(async () => seen.length >= 21);
  expect(seen).toEqual(Array.from({ length: 21 }, (_, i) => i + 10));
  expect(gaps()).toBe(0);
  stop();
});

test('listeners are notified of a gap when the stream cannot resume', async () => {
  const opened: object[] = [];
  const streams: EventEmitter[] = [];
  const stub = {
    name: 'db',
    getClient: () => ({
      db: () => ({
        watch(_pipeline: unknown, options: object) {
          opened.push(options);
          const stream = Object.assign(new EventEmitter(), {
            resumeToken: { _data: `t${opened.length}` },
            close: async () => {},
          });
          streams.push(stream);
          return stream;
        },
      }),
    }),
  } as unknown as Connection;
  const stubbed = createChanges(stub, ITEMS, log);
  let gaps = 0;
  const stop = stubbed.listen<Item>('items', 'a', { onChange: () => {}, onGap: () => gaps++ });

  streams[0]?.emit('error', new mongoose.mongo.MongoServerError({ message: 'interrupted', code: 11_601 }));
  await eventually(async () => streams.length === 2);
  expect(opened[1]).toMatchObject({ startAfter: { _data: 't1' } });
  expect(gaps).toBe(0);

  // The history after the token is no longer in the oplog.
  streams[1]?.emit('error', new mongoose.mongo.MongoServerError({ message: 'lost', code: 286 }));
  await eventually(async () => streams.length === 3);
  expect(opened[2]).not.toHaveProperty('startAfter');
  expect(gaps).toBe(1);
  stop();
  await stubbed.close();
});

test('no listener remains after all have stopped', async () => {
  expect(changes.listenerCount()).toBe(0);
  const stops = Array.from({ length: 200 }, () =>
    changes.listen<Item>('items', 'a', { onChange: () => {}, onGap: () => {} }),
  );
  expect(changes.listenerCount()).toBe(200);
  for (const stop of [...stops, ...stops]) stop();
  expect(changes.listenerCount()).toBe(0);
});

test('subscriptions that end leave no listener, whether or not they received anything', async () => {
  const tenant = { customerId: 1, orgId: 'o', name: 'n', createdAt: new Date() };
  const principal = {
    keyId: 'k',
    keyName: null,
    keyPrefix: 'eg_r_abcdef',
    ...{ resources: null, networks: null },
    scope: 'read',
    tenant,
    expiresAt: new Date(Date.now() + 3_600_000),
  } as const;
  const options = { collection: 'items', principal, tenant, convert: (item: Item) => item };
  for (let round = 0; round < 20; round++) {
    const feeds = await Promise.all(
      Array.from({ length: 20 }, () => tenantFeed<Item, Item>(changes, options)),
    );
    const pending = feeds.slice(0, 10).map((feed) => feed.next());
    // Of its documents, its key and its customer.
    expect(changes.listenerCount()).toBe(60);
    await Promise.all(feeds.map((feed) => feed.return()));
    for (const next of pending) expect((await next).done).toBe(true);
  }
  await eventually(async () => changes.listenerCount() === 0);
});

test('a subscription ends when its key is revoked while the stream is closed, its customer is suspended, or changes may be missed', async () => {
  const listeners: { onChange(document: unknown): void; onGap(): void }[] = [];
  const stub = {
    listen: (_collection: string, _key: string, listener: never) => listeners.push(listener) && (() => {}),
    opened: async () => {},
  };
  const tenant = { customerId: 1, orgId: 'o', name: 'n', createdAt: new Date() };
  const principal = {
    ...({
      keyId: 'k',
      keyName: null,
      keyPrefix: 'eg_r_abcdef',
      scope: 'read',
      tenant,
      expiresAt: null,
    } as const),
    ...{ resources: null, networks: null },
  };
  const feed = () =>
    tenantFeed<Item, Item>(stub as unknown as Changes, {
      collection: 'items',
      principal,
      tenant,
      convert: (item) => item,
    });
  const revoked = (await feed()).next();
  listeners[1]?.onChange({ revokedAt: new Date() });
  expect((await revoked).done).toBe(true);
  const suspended = (await feed()).next();
  listeners[5]?.onChange({ suspendedAt: new Date() });
  expect((await suspended).done).toBe(true);
  const interrupted = (await feed()).next();
  listeners[7]?.onGap();
  expect((await interrupted).done).toBe(true);
});
