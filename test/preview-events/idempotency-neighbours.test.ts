import mongoose from 'mongoose';
import { expect, onTestFinished, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { startTestMongo } from '../support/mongo.ts';
import { CONVERSION, countEvents, post } from './support.ts';

const PAIRS = 20;
const OTHERS = 40;

test('pairs of requests with one Idempotency-Key do not abort transactions of other tenants', async () => {
  // A database server of its own: it counts the transactions of all databases.
  const mongo = await startTestMongo();
  onTestFinished(() => mongo.stop());
  const app = await startApp({ MONGODB_URI: mongo.uri });
  onTestFinished(() => app.stop());
  const client = await mongoose.mongo.MongoClient.connect(mongo.uri);
  onTestFinished(() => client.close());
  const transactions = async () => {
    const { transactions } = await client.db().command({ serverStatus: 1 });
    return { committed: Number(transactions.totalCommitted), aborted: Number(transactions.totalAborted) };
  };

  const [repeating, other] = [await app.newTenant(), await app.newTenant()];
  const before = await transactions();
  const answers = await Promise.all([
    ...Array.from({ length: 2 * PAIRS }, (_, index) => post(app, repeating, CONVERSION, `k${index >> 1}`)),
    ...Array.from({ length: OTHERS }, () => post(app, other, CONVERSION)),
  ]);
  const after = await transactions();
  expect(answers.map(({ status }) => status)).toEqual(Array(2 * PAIRS + OTHERS).fill(201));
  expect([await countEvents(app, repeating), await countEvents(app, other)]).toEqual([PAIRS, OTHERS]);
  expect(after.aborted - before.aborted).toBe(0);
  expect(after.committed - before.committed).toBeLessThan(PAIRS + OTHERS);
});
