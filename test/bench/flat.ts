import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../src/database/models.ts';
import { type Child, startChild } from '../support/child-process.ts';
import { startTestMongo } from '../support/mongo.ts';
import type { ClaimCalls } from './support/claim-loops.ts';
import { store, waiting } from './support/documents.ts';
import { type FlatSide, openSide, READS } from './support/flat-side.ts';
import { ensurePopulation, ownerOf, visitorsOf } from './support/population.ts';
import { compared, type Figure, single } from './support/report.ts';
import type { RetentionCalls } from './support/retention-run.ts';
import { alternate, durations, median, medians, percentile } from './support/stats.ts';
import { requireAnswered, startTraffic, type Traffic } from './support/traffic.ts';

const FEW = 10_000;
const AIM = { atMost: 1.2 };
const CACHE_GB = 1;
/** Requests for each page are made in turns of so many. */
const TURNS = 20;
const REQUESTS = 10;
const WARM_UP = 50;
const PAIRS = 5;
const CLAIMED = 5_000;
const CLAIM_BATCH = 256;
const ACCEPTED = 1_500;
const CLIENTS = 20;
/** Events a second while retention runs. */
const RATE = 200;
const RATE_SECONDS = 6;
/** Events that retention considers: with few stored, and beside the load. */
const EXPIRED = 1_500;
const EXPIRED_BESIDE_LOAD = 40_000;
const PAUSE_MS = 1_000;
const MEGABYTE = 1_000_000;

/** Rows in the large database. */
const DEFAULT_ROWS = 300_000;

interface Options {
  /** Events with a delivery, and conversations, in the large database. */
  rows?: number | undefined;
  /** Directory that keeps the large database for the next run; null for a temporary one. */
  data: string | null;
}

/** The service with many deliveries, events and conversations stored against few. */
export async function flat({ rows = DEFAULT_ROWS, data }: Options): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack();
  const mongo = stack.adopt(
    await startTestMongo({ database: 'large', cacheGb: CACHE_GB, dataDir: data }),
    (started) => started.stop(),
  );
  const uris = { large: mongo.uri, small: mongo.uri.replace('/large', '/small') };
  const newestAt = await ensurePopulation(uris.large, rows);
  await ensurePopulation(uris.small, FEW, newestAt);
  const sizes = await sizeFigures(uris.large);
  const claims = await claimFigures(stack, uris);
  const traffic = stack.use(await startTraffic());
  const { sinkUrl } = traffic;
  const large = await openSide(stack, uris.large, { sinkUrl, newestAt, visitors: visitorsOf(rows) });
  const small = await openSide(stack, uris.small, { sinkUrl, newestAt, visitors: visitorsOf(FEW) });
  const reads = await readFigures(traffic, large, small);
  const accepts = await alternate(
    PAIRS,
    () => accept(traffic, large),
    () => accept(traffic, small),
  );
  const retention = await retentionFigures(stack, uris, { traffic, large });
  return [
    ...reads,
    compared('accepted and delivered, 20 clients, ms/event', accepts, AIM),
    compared('claimed and finished, µs/delivery', claims, AIM),
    ...retention,
    ...sizes,
  ];
}

/** Claims deliveries that have just become due. */
async function claimFigures(stack: AsyncDisposableStack, uris: Record<'large' | 'small', string>) {
  async function claims(mongodbUri: string) {
    const { connection, models } = await openDatabase(mongodbUri);
    stack.defer(() => connection.close());
    const child = stack.use(startChild<ClaimCalls>(import.meta.resolve('./support/claim-loops.ts')));
    return async () => {
      const now = new Date();
      await store(models, CLAIMED, (number) => waiting({ number, ...ownerOf(number) }, now, now));
      const { ms } = await child.call('service', { mongodbUri, count: CLAIMED, batch: CLAIM_BATCH });
      return (ms * 1000) / CLAIMED;
    };
  }
  const large = await claims(uris.large);
  const small = await claims(uris.small);
  await large();
  await small();
  return alternate(PAIRS, large, small);
}

async function readFigures(traffic: Traffic, large: FlatSide, small: FlatSide): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const name of READS) {
    const read = async (side: FlatSide, count: number) => {
      const result = await traffic.load.call('run', {
        ...side.reads[name],
        first: 0,
        count,
        clients: 1,
        rate: null,
      });
      requireAnswered(result);
      return durations(result.sentAt, result.answeredAt);
    };
    for (const side of [large, small]) await read(side, WARM_UP);
    const turns = await alternate(
      TURNS,
      () => read(large, REQUESTS),
      () => read(small, REQUESTS),
    );
    figures.push(compared(`${name}, ms`, [medians(turns)], AIM));
  }
  return figures;
}

/** Returns the milliseconds an event takes from the first request to the last arrival. */
async function accept(traffic: Traffic, side: FlatSide): Promise<number> {
  const first = await traffic.expect(ACCEPTED);
  const load = await traffic.load.call('run', {
    ...side.accept,
    first,
    count: ACCEPTED,
    clients: CLIENTS,
    rate: null,
  });
  requireAnswered(load);
  const { arrivedAt } = await traffic.arrivals(ACCEPTED);
  await sleep(PAUSE_MS);
  return (Math.max(...arrivedAt) - Math.min(...load.sentAt)) / ACCEPTED;
}

/** p99 from the request to the 201 at a steady rate. Milliseconds. */
async function acceptP99(traffic: Traffic, side: FlatSide): Promise<number> {
  const count = RATE * RATE_SECONDS;
  const first = await traffic.expect(count);
  const load = await traffic.load.call('run', { ...side.accept, first, count, clients: 0, rate: RATE });
  requireAnswered(load);
  await traffic.arrivals(count);
  return percentile(durations(load.sentAt, load.answeredAt), 0.99);
}

/** Removes the oldest events: with many and few stored, and while events are accepted. */
async function retentionFigures(
  stack: AsyncDisposableStack,
  uris: Record<'large' | 'small', string>,
  { traffic, large }: { traffic: Traffic; large: FlatSide },
): Promise<Figure[]> {
  const retention: Child<RetentionCalls> = stack.use(
    startChild<RetentionCalls>(import.meta.resolve('./support/retention-run.ts')),
  );
  const perEvent = (mongodbUri: string) => async () =>
    1_000_000 / (await retention.call('run', { mongodbUri, count: EXPIRED }));
  const removing = await alternate(PAIRS, perEvent(uris.large), perEvent(uris.small));
  const rates: number[] = [];
  const beside = await alternate(
    PAIRS,
    async () => {
      const removed = retention.call('run', { mongodbUri: uris.large, count: EXPIRED_BESIDE_LOAD });
      const p99 = await acceptP99(traffic, large);
      rates.push(await removed);
      return p99;
    },
    () => acceptP99(traffic, large),
  );
  return [
    compared('retention, µs/event', removing, AIM),
    compared('request to 201 at 200 events/s beside retention against alone, p99, ms', beside, {
      atMost: 1.5,
    }),
    single('retention beside 200 events/s, events with deliveries/s', median(rates), { atLeast: 5_000 }),
  ];
}

async function sizeFigures(mongodbUri: string): Promise<Figure[]> {
  const { connection, models } = await openDatabase(mongodbUri);
  const figures: Figure[] = [];
  for (const { collection } of [models.Event, models.Delivery, models.Conversation]) {
    const [{ storageStats }] = (await collection
      .aggregate([{ $collStats: { storageStats: {} } }])
      .toArray()) as [
      {
        storageStats: {
          count: number;
          size: number;
          storageSize: number;
          indexSizes: Record<string, number>;
        };
      },
    ];
    const label = `${collection.collectionName} (${storageStats.count.toLocaleString('en')})`;
    figures.push(single(`${label}: documents on disk, MB`, storageStats.storageSize / MEGABYTE));
    for (const [index, bytes] of Object.entries(storageStats.indexSizes))
      figures.push(single(`${label}: ${index}, MB`, bytes / MEGABYTE));
  }
  await connection.close();
  return figures;
}
