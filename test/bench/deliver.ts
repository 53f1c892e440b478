import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../src/database/models.ts';
import { startChild } from '../support/child-process.ts';
import { startTestMongo } from '../support/mongo.ts';
import type { BareDeliverCalls } from './support/bare-deliver.ts';
import { store, waiting } from './support/documents.ts';
import { cpuMs, watchMemory } from './support/proc.ts';
import { compared, type Figure, single } from './support/report.ts';
import { startService } from './support/service.ts';
import { alternate, median } from './support/stats.ts';
import { startTraffic } from './support/traffic.ts';

const DELIVERIES = 20_000;
const WARM_UP = 5_000;
const ENDPOINTS = 20;
const PAIRS = 3;
/** As `WEBHOOK_CONCURRENCY`. */
const IN_FLIGHT = 256;
const CUSTOMER = 1;
/** Waiting deliveries become due this long after the last of them was stored. */
const SETTLE_MS = 1_000;
/** Maximum time to store one delivery. */
const STORE_MS = 0.2;
const PAUSE_MS = 500;
const MEGABYTE = 1_000_000;

/** Deliveries a second out of a queue of due ones, from the first arrival to the last. */
export async function deliver(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack();
  const mongo = stack.adopt(await startTestMongo(), (started) => started.stop());
  const { connection, models } = await openDatabase(mongo.uri);
  stack.defer(() => connection.close());
  const traffic = stack.use(await startTraffic());
  const { sinkUrl } = traffic;
  const bare = stack.use(startChild<BareDeliverCalls>(import.meta.resolve('./support/bare-deliver.ts')));
  // One tenant has all slots.
  const env = { WEBHOOK_CONCURRENCY_PER_TENANT: String(IN_FLIGHT) };
  const service = stack.use(await startService(mongo.uri, env));
  const key = await service.newKey(CUSTOMER);
  const endpoints: number[] = [];
  while (endpoints.length < ENDPOINTS) {
    endpoints.push(await service.newEndpoint(CUSTOMER, key, `${sinkUrl}/${endpoints.length}`));
  }
  const mongod = mongo.members[0]?.pid ?? 0;
  using memory = watchMemory(service.pid);

  /** Rate from the first arrival to the last, and CPU time per delivery from now on. */
  async function measure(pid: number, count: number) {
    const cpuBefore = [pid, mongod].map(cpuMs);
    const { arrivedAt } = await traffic.arrivals(count);
    await sleep(PAUSE_MS);
    const [process = 0, database = 0] = [pid, mongod].map(
      (each, index) => ((cpuMs(each) - (cpuBefore[index] ?? 0)) * 1000) / count,
    );
    const delivered = (count * 1000) / (Math.max(...arrivedAt) - Math.min(...arrivedAt));
    return { delivered, process, database };
  }

  async function ours(count: number) {
    const first = await traffic.expect(count);
    const now = new Date();
    const dueAt = new Date(now.getTime() + SETTLE_MS + count * STORE_MS);
    await store(models, count, (i) =>
      waiting(
        { number: first + i, customerId: CUSTOMER, endpointId: endpoints[i % ENDPOINTS] ?? 0 },
        now,
        dueAt,
      ),
    );
    return measure(service.pid, count);
  }

  async function theirs(count: number) {
    const first = await traffic.expect(count);
    const measured = measure(bare.pid, count);
    await bare.call('run', { sinkUrl, first, count, inFlight: IN_FLIGHT, endpoints: ENDPOINTS });
    return measured;
  }

  await ours(WARM_UP);
  await theirs(WARM_UP);
  const pairs = await alternate(
    PAIRS,
    () => ours(DELIVERIES),
    () => theirs(DELIVERIES),
  );
  const of = (field: 'delivered' | 'process') =>
    pairs.map(({ subject, baseline }) => ({ subject: subject[field], baseline: baseline[field] }));
  return [
    compared('deliveries/s', of('delivered'), { atLeast: 0.4 }),
    compared('CPU of the process, µs/delivery', of('process')),
    single('CPU of mongod, µs/delivery', median(pairs.map(({ subject }) => subject.database))),
    single('resident memory of the service, most, MB', memory.stop().most / MEGABYTE),
  ];
}
