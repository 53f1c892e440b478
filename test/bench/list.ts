import { openDatabase } from '../../src/database/models.ts';
import { NO_ENCRYPTION } from '../../src/features/privacy/field-encryption.ts';
import { deliveryStore } from '../../src/features/webhooks/delivery/delivery.store.ts';
import { type Child, startChild } from '../support/child-process.ts';
import { startTestMongo } from '../support/mongo.ts';
import { store, succeeded, waiting } from './support/documents.ts';
import type { LoadCalls } from './support/load.ts';
import { compared, type Figure } from './support/report.ts';
import { startService } from './support/service.ts';
import { alternate, durations, medians } from './support/stats.ts';
import { requireAnswered } from './support/traffic.ts';

const FEW = 1_000;
const MANY = 1_000_000;
const CUSTOMERS = 2;
const ENDPOINTS = 5;
/** Requests to each are made in turns of so many. */
const TURNS = 10;
const REQUESTS = 20;
const WARM_UP = 300;
/** Rows that the store reads for a first page: the default limit, and one more to know whether there is more. */
const ROWS = 51;

/** A service over a database with so many deliveries stored. */
async function open(stack: AsyncDisposableStack, load: Child<LoadCalls>, mongodbUri: string, stored: number) {
  const { connection, models } = await openDatabase(mongodbUri);
  stack.defer(() => connection.close());
  // Indexes over what is there already take a fraction of the time that keeping them up would.
  await models.Delivery.collection.dropIndexes();
  const now = new Date();
  await store(models, stored, (number) => {
    const endpoint = number % ENDPOINTS;
    const numbered = { number, customerId: 1 + (endpoint % CUSTOMERS), endpointId: 1 + endpoint };
    return { delivery: succeeded(waiting(numbered, now, now), now) };
  });
  await models.Delivery.collection.createIndexes(
    models.Delivery.schema.indexes().map(([key, options]) => ({ key, ...options })) as never,
  );

  const service = stack.use(await startService(mongodbUri));
  const key = await service.newKey(1);
  const endpointId = await service.newEndpoint(1, key, 'http://127.0.0.1:9');
  const url = `${service.url}/api/v1/customers/1/webhook-endpoints/${endpointId}/deliveries`;

  async function firstPages(count: number): Promise<Float64Array> {
    const common = { method: 'GET', body: null, first: 0, clients: 1, rate: null } as const;
    const result = await load.call('run', { ...common, url, key, count });
    requireAnswered(result);
    return durations(result.sentAt, result.answeredAt);
  }

  async function keysExamined(): Promise<number> {
    const tenant = { customerId: 1, orgId: 'org_1', name: '', createdAt: now };
    const { list } = deliveryStore(models, NO_ENCRYPTION);
    const explained: unknown = await list(tenant, { endpointId }, { before: null, limit: ROWS }).explain(
      'executionStats',
    );
    return (explained as { executionStats: { totalKeysExamined: number } }).executionStats.totalKeysExamined;
  }

  return { firstPages, keysExamined };
}

/** The first page of an endpoint's deliveries, with few and with many stored. */
export async function list(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack();
  const mongo = stack.adopt(await startTestMongo({ database: 'many' }), (started) => started.stop());
  const load = stack.use(startChild<LoadCalls>(import.meta.resolve('./support/load.ts')));
  const many = await open(stack, load, mongo.uri, MANY);
  const few = await open(stack, load, mongo.uri.replace('/many', '/few'), FEW);
  for (const each of [many, few]) await each.firstPages(WARM_UP);

  const turns = await alternate(
    TURNS,
    () => many.firstPages(REQUESTS),
    () => few.firstPages(REQUESTS),
  );
  const all = medians(turns);
  const keys = { subject: await many.keysExamined(), baseline: await few.keysExamined() };
  return [
    compared(`first page with ${MANY} against ${FEW} stored, median, ms`, [all], { atMost: 1.5 }),
    compared('keys examined', [keys], { atMost: 1 }),
  ];
}
