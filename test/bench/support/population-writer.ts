import { mongo } from 'mongoose';
import { answerCalls } from '../../support/child-process.ts';
import { rowOf } from './population.ts';

interface Range {
  mongodbUri: string;
  /** Numbers of the rows, from the last one down to `from`. */
  from: number;
  to: number;
  newestAt: Date;
}

const BATCH = 5_000;
const COLLECTIONS = {
  event: 'webhookEvents',
  delivery: 'webhookDeliveries',
  conversation: 'conversations',
} as const;

let client: Promise<mongo.MongoClient> | undefined;

async function write({ mongodbUri, from, to, newestAt }: Range): Promise<void> {
  client ??= new mongo.MongoClient(mongodbUri).connect();
  const db = (await client).db();
  for (let next = to; next > from; next -= BATCH) {
    const count = Math.min(BATCH, next - from);
    const rows = Array.from({ length: count }, (_, index) => rowOf(next - 1 - index, newestAt));
    await Promise.all(
      (['event', 'delivery', 'conversation'] as const).map((part) =>
        db.collection<object>(COLLECTIONS[part]).insertMany(
          rows.map((row) => row[part]),
          { ordered: false, writeConcern: { w: 1 } },
        ),
      ),
    );
  }
}

const handlers = { write };
export type PopulationCalls = typeof handlers;
answerCalls(handlers);
