import { setTimeout as sleep } from 'node:timers/promises';
import mongoose, { type Connection, type mongo } from 'mongoose';
import { createLogger } from '../../src/platform/logger.ts';
import { createChanges } from '../../src/platform/mongo/change-stream.ts';
import { eventually } from '../support/eventually.ts';
import { startTestMongo } from '../support/mongo.ts';
import { EVENT_BODY } from './support/event-body.ts';
import { cpuMs } from './support/proc.ts';
import { type Figure, single } from './support/report.ts';
import { startService } from './support/service.ts';
import { requireAnswered, startTraffic } from './support/traffic.ts';

const EVENTS = 20_000;
const WARM_UP = 1_000;
const CLIENTS = 20;
const CUSTOMER = 1;
/** Processes with a subscriber, for the cost of their change streams. */
const STREAMS = 4;
/** Time for the last results to be written. */
const SETTLE_MS = 30_000;
/** Collections that an event adds documents to. */
const COLLECTIONS = ['webhookEvents', 'webhookDeliveries', 'previewEvents'];

interface CollectionSize {
  documents: number;
  /** Size of the documents as BSON. */
  bson: number;
  /** Size of the documents on disk, compressed. */
  storage: number;
  indexes: Record<string, number>;
}

interface Usage {
  collections: Map<string, CollectionSize>;
  oplog: CollectionSize;
  journalBytes: number;
  journalSyncs: number;
  cpuService: number;
  cpuMongod: number;
  /** CPU time of this process. */
  cpuOwn: number;
}

async function sizeOf(collection: mongo.Collection): Promise<CollectionSize> {
  const [stats] = await collection.aggregate([{ $collStats: { storageStats: {} } }]).toArray();
  const { count = 0, size = 0, storageSize = 0, indexSizes = {} } = stats?.storageStats ?? {};
  return { documents: count, bson: size, storage: storageSize, indexes: indexSizes };
}

/** Observes deliveries as a process with a subscriber of another tenant does. */
function changesOf(connection: Connection) {
  const keys = { webhookDeliveries: ({ customerId }: { customerId: number }) => customerId };
  const changes = createChanges(connection, keys, createLogger('silent'));
  changes.listen('webhookDeliveries', CUSTOMER + 1, { onChange() {}, onGap() {} });
  return changes;
}

/** Measures what the database keeps and writes for an accepted and delivered event, with one endpoint. */
export async function bytes(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack();
  const mongo = stack.adopt(await startTestMongo(), (started) => started.stop());
  const connection = await mongoose.createConnection(mongo.uri).asPromise();
  stack.defer(() => connection.close());
  const traffic = stack.use(await startTraffic());
  const service = stack.use(await startService(mongo.uri));
  const key = await service.newKey(CUSTOMER);
  await service.newEndpoint(CUSTOMER, key, traffic.sinkUrl);
  const client = connection.getClient();
  const db = client.db(connection.name);

  async function usage(): Promise<Usage> {
    // The last checkpoint determines the sizes on disk.
    await client.db('admin').command({ fsync: 1 });
    const sizes = await Promise.all(
      COLLECTIONS.map(async (name) => [name, await sizeOf(db.collection(name))] as const),
    );
    const { wiredTiger } = await client.db('admin').command({ serverStatus: 1 });
    return {
      collections: new Map(sizes),
      oplog: await sizeOf(client.db('local').collection('oplog.rs')),
      journalBytes: Number(wiredTiger.log['log bytes written']),
      journalSyncs: Number(wiredTiger.log['log sync operations']),
      cpuService: cpuMs(service.pid),
      cpuMongod: cpuMs(mongo.members[0]?.pid ?? 0),
      cpuOwn: cpuMs(process.pid),
    };
  }

  async function run(count: number): Promise<void> {
    const first = await traffic.expect(count);
    const load = await traffic.load.call('run', {
      method: 'POST',
      url: `${service.url}/v1/events`,
      key,
      body: EVENT_BODY,
      first,
      count,
      clients: CLIENTS,
      rate: null,
    });
    requireAnswered(load);
    await traffic.arrivals(count);
    const open = { status: { $ne: 'succeeded' } };
    await eventually(
      async () => (await db.collection('webhookDeliveries').countDocuments(open)) === 0,
      SETTLE_MS,
    );
    await sleep(1_000);
  }

  await run(WARM_UP);
  const before = await usage();
  await run(EVENTS);
  const after = await usage();
  const streams = Array.from({ length: STREAMS }, () => changesOf(connection));
  await Promise.all(streams.map(({ opened }) => opened()));
  await run(EVENTS);
  const withStreams = await usage();
  await Promise.all(streams.map(({ close }) => close()));
  /** Cost of one stream: what the second run used more than the first. */
  const perStream = (name: string, select: (usage: Usage) => number) =>
    single(
      `${name} per event and change stream`,
      (select(withStreams) - 2 * select(after) + select(before)) / EVENTS / STREAMS,
    );
  const perEvent = (name: string, select: (usage: Usage) => number) =>
    single(`${name} per event`, (select(after) - select(before)) / EVENTS);
  const ofCollection = (name: string): Figure[] => {
    const sizeIn = ({ collections }: Usage) => collections.get(name);
    const indexes = Object.keys(sizeIn(after)?.indexes ?? {});
    if (sizeIn(after)?.documents === sizeIn(before)?.documents) return [];
    return [
      perEvent(`${name}: documents`, (usage) => sizeIn(usage)?.documents ?? 0),
      perEvent(`${name}: BSON, bytes`, (usage) => sizeIn(usage)?.bson ?? 0),
      perEvent(`${name}: on disk, bytes`, (usage) => sizeIn(usage)?.storage ?? 0),
      ...indexes.map((index) =>
        perEvent(`${name}: index ${index}, bytes`, (usage) => sizeIn(usage)?.indexes[index] ?? 0),
      ),
    ];
  };
  const total = ({ collections }: Usage, select: (size: CollectionSize) => number): number =>
    [...collections.values()].reduce((sum, size) => sum + select(size), 0);
  const indexBytes = ({ indexes }: CollectionSize) =>
    Object.values(indexes).reduce((sum, size) => sum + size, 0);
  return [
    ...COLLECTIONS.flatMap(ofCollection),
    perEvent('all documents on disk, bytes', (usage) => total(usage, ({ storage }) => storage)),
    perEvent('all indexes on disk, bytes', (usage) => total(usage, indexBytes)),
    perEvent('oplog entries', ({ oplog }) => oplog.documents),
    perEvent('oplog, bytes', ({ oplog }) => oplog.bson),
    perEvent('oplog on disk, bytes', ({ oplog }) => oplog.storage),
    perEvent('journal, bytes', ({ journalBytes }) => journalBytes),
    perEvent('journal syncs', ({ journalSyncs }) => journalSyncs),
    perEvent('CPU of the service, ms', ({ cpuService }) => cpuService),
    perEvent('CPU of mongod, ms', ({ cpuMongod }) => cpuMongod),
    perStream('CPU of mongod, ms', ({ cpuMongod }) => cpuMongod),
    perStream('CPU of the reading process, ms', ({ cpuOwn }) => cpuOwn),
  ];
}
