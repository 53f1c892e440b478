import { openDatabase } from '../../src/database/models.ts';
import { startChild } from '../support/child-process.ts';
import { startTestMongo } from '../support/mongo.ts';
import type { ClaimCalls } from './support/claim-loops.ts';
import { store, waiting } from './support/documents.ts';
import { compared, type Figure } from './support/report.ts';
import { alternate } from './support/stats.ts';

const DELIVERIES = 100_000;
/** Each has its deliveries in a database of its own, and works them off in turns with the other. */
const TURNS = 5;
const BATCH = 256;
const ENDPOINTS = 16;

/** Claims and finishes due deliveries without sending them. */
export async function claim(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack();
  const mongo = stack.adopt(await startTestMongo({ database: 'service' }), (started) => started.stop());
  const now = new Date();

  async function fill(mongodbUri: string): Promise<string> {
    const { connection, models } = await openDatabase(mongodbUri);
    await store(models, DELIVERIES, (number) =>
      waiting({ number, customerId: 1, endpointId: 1 + (number % ENDPOINTS) }, now, now),
    );
    await connection.close();
    return mongodbUri;
  }

  async function worker(name: 'service' | 'bare', mongodbUri: string) {
    const child = stack.use(startChild<ClaimCalls>(import.meta.resolve('./support/claim-loops.ts')));
    const count = DELIVERIES / TURNS;
    return async () => {
      const { ms } = await child.call(name, { mongodbUri, count, batch: BATCH });
      return (count * 1000) / ms;
    };
  }

  const ours = await worker('service', await fill(mongo.uri));
  const theirs = await worker('bare', await fill(mongo.uri.replace('/service', '/bare')));
  return [compared('claimed and finished, deliveries/s', await alternate(TURNS, ours, theirs))];
}
