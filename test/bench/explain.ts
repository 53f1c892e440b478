import { type mongo, Types } from 'mongoose';
import { openDatabase } from '../../src/database/models.ts';
import { startChild } from '../support/child-process.ts';
import { startTestMongo } from '../support/mongo.ts';
import type { Load, LoadCalls } from './support/load.ts';
import { ensurePopulation } from './support/population.ts';
import { type Figure, single } from './support/report.ts';
import { startService } from './support/service.ts';
import { durations, median, percentile } from './support/stats.ts';
import { requireAnswered } from './support/traffic.ts';

const DEFAULT_ROWS = 1_000_000;
const CACHE_GB = 1;
const CUSTOMER = 1;
/** Events of one conversation: as many as a list by conversation reads. */
const OF_CONVERSATION = 1_000;
const LIMIT = 50;
const WARM_UP = 20;
const REQUESTS = 100;
/** A range of an hour in the middle of the rows of the smaller population. */
const RANGE_MS = 3_600_000;
const RANGE_FROM_NEWEST_MS = 86_400_000;
const EXPLAIN_AIM = { atMost: 50 };

type Request = Pick<Load, 'method' | 'url' | 'key' | 'body'>;

interface Options {
  /** Events with a delivery. */
  rows?: number | undefined;
  /** Directory that keeps the database for the next run; null for a temporary one. */
  data: string | null;
}

/** `explain`, and the first page of each filter of the lists of deliveries, with the index keys that it examines. */
export async function explain({ rows = DEFAULT_ROWS, data }: Options): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack();
  const mongo = stack.adopt(
    await startTestMongo({ database: 'large', cacheGb: CACHE_GB, dataDir: data }),
    (started) => started.stop(),
  );
  const newestAt = await ensurePopulation(mongo.uri, rows);
  const { connection, models } = await openDatabase(mongo.uri);
  stack.defer(() => connection.close());
  const db = connection.db as unknown as mongo.Db;

  const newest = await models.Event.find({ customerId: CUSTOMER, event: 'conversion.recorded' }, { _id: 1 })
    .sort({ _id: -1 })
    .limit(OF_CONVERSATION)
    .lean();
  const ids = newest.map(({ _id }) => _id);
  const conversationId = new Types.ObjectId().toHexString();
  await models.Event.updateMany({ customerId: CUSTOMER, _id: { $in: ids } }, { conversationId });

  const service = stack.use(await startService(mongo.uri, { DELIVERY_RETENTION: '3650d' }));
  const load = stack.use(startChild<LoadCalls>(import.meta.resolve('./support/load.ts')));
  const key = await service.newKey(CUSTOMER);
  const settings = { paused: true };
  const endpointId = await service.newEndpoint(CUSTOMER, key, 'http://127.0.0.1:9', settings);
  const delivery = await models.Delivery.findOne({ customerId: CUSTOMER, endpointId })
    .sort({ _id: -1 })
    .orFail();
  const other = await models.Delivery.findOne({
    customerId: CUSTOMER,
    endpointId: { $ne: endpointId },
  }).orFail();

  const customer = `/api/v1/customers/${CUSTOMER}`;
  const get = (path: string): Request => ({ method: 'GET', url: service.url + path, key, body: null });
  const ofEndpoint = (filter: string) =>
    get(`${customer}/webhook-endpoints/${endpointId}/deliveries?limit=${LIMIT}&${filter}`);
  const ofCustomer = (filter: string): Request => ({
    ...{ method: 'POST', url: `${service.url}/graphql`, key },
    body: JSON.stringify({
      query: `{ webhookDeliveries(first: ${LIMIT}, ${filter}) { edges { node { id status event } } } }`,
    }),
  });
  const until = new Date(newestAt.getTime() - RANGE_FROM_NEWEST_MS);
  const since = new Date(until.getTime() - RANGE_MS).toISOString();
  const range = `since=${since}&until=${until.toISOString()}`;
  const eventId = delivery.eventId.toHexString();

  const reads: Record<string, Request> = {
    'explain, an event with a delivery': get(
      `${customer}/events/${eventId}/explain?endpointId=${endpointId}`,
    ),
    'explain, an event without one': get(
      `${customer}/events/${other.eventId}/explain?endpointId=${endpointId}`,
    ),
    'endpoint, since and until': ofEndpoint(range),
    'endpoint, status, event, since and until': ofEndpoint(`status=failed&event=identity.resolved&${range}`),
    'endpoint, responseStatus': ofEndpoint('responseStatus=503'),
    'endpoint, error, status, since and until': ofEndpoint(`error=http_503&status=failed&${range}`),
    'endpoint, an error that none has': ofEndpoint('error=timeout'),
    'endpoint, a custom type that none has': ofEndpoint('event=custom.page.viewed'),
    'endpoint, eventId': ofEndpoint(`eventId=${eventId}`),
    'endpoint, conversationId': ofEndpoint(`conversationId=${conversationId}`),
    'endpoint, conversationId, text': ofEndpoint(`conversationId=${conversationId}&text=n1`),
    'endpoint, a text that none has': ofEndpoint('text=nowhere'),
    'customer, since and until': ofCustomer(`since: "${since}", until: "${until.toISOString()}"`),
    'customer, error': ofCustomer('error: "http_503"'),
    'customer, responseStatus, status': ofCustomer('responseStatus: 503, status: retrying'),
    'customer, a custom type that none has': ofCustomer('event: "custom.page.viewed"'),
  };

  /** Keys that one request examines, over all commands of the service. */
  async function keysExamined(request: Request): Promise<number> {
    await db
      .collection('system.profile')
      .drop()
      .catch(() => {});
    await db.command({ profile: 2 });
    await run(request, 1);
    await db.command({ profile: 0 });
    const commands = await db
      .collection('system.profile')
      .find({
        ns: {
          $in: [models.Delivery, models.Event].map(
            ({ collection: { name } }) => `${db.databaseName}.${name}`,
          ),
        },
      })
      .toArray();
    return commands.reduce((sum, { keysExamined: keys = 0 }) => sum + keys, 0);
  }

  async function run(request: Request, count: number): Promise<Float64Array> {
    const result = await load.call('run', { ...request, first: 0, count, clients: 1, rate: null });
    requireAnswered(result);
    return durations(result.sentAt, result.answeredAt);
  }

  const figures: Figure[] = [];
  for (const [name, request] of Object.entries(reads)) {
    await run(request, WARM_UP);
    const took = await run(request, REQUESTS);
    const aim = name.startsWith('explain') ? EXPLAIN_AIM : null;
    figures.push(
      single(`${name}, median, ms`, median(took), aim),
      single(`${name}, p99, ms`, percentile(took, 0.99)),
      single(`${name}, keys examined`, await keysExamined(request)),
    );
  }
  return figures;
}
