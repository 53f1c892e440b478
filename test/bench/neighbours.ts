import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from '../support/child-process.ts';
import { startTestMongo } from '../support/mongo.ts';
import { createHostileTenant } from './support/hostile-tenant.ts';
import type { Load, LoadCalls } from './support/load.ts';
import { compared, type Figure } from './support/report.ts';
import { startService } from './support/service.ts';
import { alternate } from './support/stats.ts';
import { createSteadyTenant } from './support/steady-tenant.ts';
import { startTraffic } from './support/traffic.ts';

const PAIRS = 5;
const RUN_SECONDS = 2;
/** Time for the remaining work of the neighbour. */
const PAUSE_MS = 1_000;
const ENDPOINTS = 20;
/** More requests than a neighbour sends in a run. */
const ENDLESS = 100_000;

const EVENT = '{"type":"conversion","goal":"other","visitor_id":"v"}';
const aliases = (count: number, field: string) =>
  Array.from({ length: count }, (_, index) => `${field[0]}${index}: ${field}`).join(' ');
const deliveries = (first: number) =>
  `webhookDeliveries(first: ${first}) { edges { cursor node {
    id endpointId eventId event status attempt nextRetryAt createdAt lastAttemptAt responseStatus error durationMs
  } } pageInfo { hasNextPage endCursor } }`;
const CONVERSATIONS = `conversations(first: 100) { edges { cursor node {
    id visitorId status converted goal startedAt endedAt messageCount
  } } }`;
const ACTIVITY = `activity(since: "2000-01-01T00:00:00Z") {
    events { event count } deliveries { status count } conversations { status count }
  }`;
/** A cost of 17,569, of the maximum of 20,000. */
const EXPENSIVE_QUERY = `{ ${aliases(5, deliveries(100))} ${aliases(5, CONVERSATIONS)} ${ACTIVITY} }`;
/** A cost of 978: just below the cost of an operation that has to wait for its turn. */
const CHEAPER_QUERY = `{ ${deliveries(65)} }`;

interface Neighbour {
  name: string;
  /** Path of its endpoints at the sink; null: it has none. */
  endpoints: string | null;
  /** Time that it has before the measurement begins. */
  leadSeconds: number;
  load: Pick<Load, 'url' | 'body' | 'clients' | 'rate' | 'sharedKey'>;
}

const events = (load: Partial<Load>) => ({ url: '/v1/events', body: EVENT, clients: 0, rate: null, ...load });

const flood = (query: string) => ({
  url: '/graphql',
  body: JSON.stringify({ query }),
  clients: 16,
  rate: null,
});

const NEIGHBOURS: Neighbour[] = [
  // Two answers of each endpoint: windows that grew with them would take every slot of the process.
  { name: '20 slow endpoints', endpoints: '/slow', leadSeconds: 10, load: events({ rate: 10 }) },
  { name: '20 failing endpoints', endpoints: '/fail', leadSeconds: 2, load: events({ rate: 10 }) },
  { name: 'a flood of expensive queries', endpoints: null, leadSeconds: 2, load: flood(EXPENSIVE_QUERY) },
  { name: 'a flood of cheaper queries', endpoints: null, leadSeconds: 2, load: flood(CHEAPER_QUERY) },
  {
    name: '20 pairs/s with one Idempotency-Key',
    endpoints: null,
    leadSeconds: 2,
    load: events({ rate: 40, sharedKey: 2 }),
  },
];

/** Latency of a healthy tenant beside another one, against alone. */
export async function neighbours(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack();
  const mongo = stack.adopt(await startTestMongo(), (started) => started.stop());
  const traffic = stack.use(await startTraffic());
  const otherLoad = stack.use(startChild<LoadCalls>(import.meta.resolve('./support/load.ts')));
  const service = stack.use(await startService(mongo.uri));
  const healthy = await createSteadyTenant(service, traffic);
  // Its rows make the queries as expensive as they can be.
  const neighbour = await createHostileTenant(service, mongo.uri, traffic.sinkUrl);
  const { customerId, writeKey: key } = await neighbour.target();
  let runs = 0;

  const alone = () => healthy.run(RUN_SECONDS);

  async function beside({ name, endpoints, leadSeconds, load }: Neighbour) {
    const ids: number[] = [];
    while (endpoints !== null && ids.length < ENDPOINTS)
      ids.push(await service.newEndpoint(customerId, key, traffic.sinkUrl + endpoints));
    runs += 1;
    const url = service.url + load.url;
    const common = { method: 'POST', key, first: runs * ENDLESS, count: ENDLESS } as const;
    const other = otherLoad.call('run', { ...common, ...load, url });
    await sleep(leadSeconds * 1000);
    const result = await alone();
    await otherLoad.call('stop', undefined);
    const { answeredAt } = await other;
    if (answeredAt.every(Number.isNaN)) throw new Error(`Every request of ${name} was refused.`);
    const path = `/api/v1/customers/${customerId}/webhook-endpoints`;
    for (const id of ids) await service.request('DELETE', `${path}/${id}`, key);
    await traffic.sink.call('release', undefined);
    await sleep(PAUSE_MS);
    return result;
  }

  await alone();
  const figures: Figure[] = [];
  for (const neighbour of NEIGHBOURS) {
    const pairs = await alternate(PAIRS, () => beside(neighbour), alone);
    const of = (from: 'fromAcceptance' | 'fromRequest', p: 'p50' | 'p99') =>
      pairs.map(({ subject, baseline }) => ({ subject: subject[from][p], baseline: baseline[from][p] }));
    figures.push(
      compared(`beside ${neighbour.name}: 201 to arrival, p99, ms`, of('fromAcceptance', 'p99'), {
        atMost: 2,
      }),
      compared(`beside ${neighbour.name}: 201 to arrival, p50, ms`, of('fromAcceptance', 'p50')),
      compared(`beside ${neighbour.name}: request to arrival, p99, ms`, of('fromRequest', 'p99')),
    );
  }
  return figures;
}
