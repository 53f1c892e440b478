import { openDatabase } from '../../src/database/models.ts';
import { type Child, startChild } from '../support/child-process.ts';
import { startTestMongo } from '../support/mongo.ts';
import { storedConversation } from './support/documents.ts';
import type { LoadCalls } from './support/load.ts';
import { compared, type Figure } from './support/report.ts';
import { startService } from './support/service.ts';
import { alternate, durations, medians } from './support/stats.ts';
import { requireAnswered } from './support/traffic.ts';

const FEW = 1_000;
const MANY = 1_000_000;
const CUSTOMERS = 2;
const BATCH = 10_000;
/** Requests to each are made in turns of so many. */
const TURNS = 10;
const REQUESTS = 20;
const WARM_UP = 300;
/** First pages that are read: of all conversations of a tenant, and of one pair of filters. */
const PAGES = { all: '', 'by status and conversion': '?status=ended&converted=false' };

/** A service over a database with so many conversations stored. */
async function open(stack: AsyncDisposableStack, load: Child<LoadCalls>, mongodbUri: string, stored: number) {
  const { connection, models } = await openDatabase(mongodbUri);
  stack.defer(() => connection.close());
  // Indexes over what is there already take a fraction of the time that keeping them up would.
  await models.Conversation.collection.dropIndexes();
  const now = Date.now();
  for (let first = 0; first < stored; first += BATCH) {
    const count = Math.min(BATCH, stored - first);
    const batch = Array.from({ length: count }, (_, index) => {
      const number = first + index;
      const startedAt = new Date(now - number * 1_000);
      return storedConversation({ number, customerId: 1 + (number % CUSTOMERS), startedAt });
    });
    await models.Conversation.collection.insertMany(batch as never, {
      ordered: false,
      writeConcern: { w: 1 },
    });
  }
  await models.Conversation.createIndexes();
  const service = stack.use(await startService(mongodbUri));
  const key = await service.newKey(1);
  return async (query: string, count: number): Promise<Float64Array> => {
    const common = { method: 'GET', body: null, first: 0, clients: 1, rate: null } as const;
    const result = await load.call('run', {
      ...common,
      url: `${service.url}/v1/conversations${query}`,
      key,
      count,
    });
    requireAnswered(result);
    return durations(result.sentAt, result.answeredAt);
  };
}

/** The first page of a tenant's conversations, with few and with many stored. */
export async function conversations(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack();
  const mongo = stack.adopt(await startTestMongo({ database: 'many' }), (started) => started.stop());
  const load = stack.use(startChild<LoadCalls>(import.meta.resolve('./support/load.ts')));
  const many = await open(stack, load, mongo.uri, MANY);
  const few = await open(stack, load, mongo.uri.replace('/many', '/few'), FEW);
  const figures: Figure[] = [];
  for (const [name, query] of Object.entries(PAGES)) {
    for (const read of [many, few]) await read(query, WARM_UP);
    const turns = await alternate(
      TURNS,
      () => many(query, REQUESTS),
      () => few(query, REQUESTS),
    );
    const all = medians(turns);
    figures.push(
      compared(`first page, ${name}, ${MANY} against ${FEW} stored, median, ms`, [all], { atMost: 1.5 }),
    );
  }
  return figures;
}
