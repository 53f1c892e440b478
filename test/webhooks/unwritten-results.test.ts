import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventually, startApp } from '../support/app.ts';
import { startTestMongo } from '../support/mongo.ts';
import { listening, postConversion } from './support.ts';

const SLOTS = 16;
/** Attempts in flight to one endpoint, and three times as many whose results are not written. */
const UNWRITTEN = 4 * SLOTS;
const EVENTS = 150;
/** Time for attempts beyond the bound to arrive. */
const SETTLE_MS = 1_000;

test('while results cannot be written, an endpoint gets at most as many attempts as a crash may repeat', async () => {
  await using stack = new AsyncDisposableStack();
  const mongo = stack.adopt(await startTestMongo({ failpoints: true }), (started) => started.stop());
  const app = stack.adopt(await startApp({ MONGODB_URI: mongo.uri }), (started) => started.stop());
  const { tenant, receiver } = await listening(app);
  const post = (count: number) =>
    Promise.all(Array.from({ length: count }, () => postConversion(app, tenant)));
  // The endpoint's slots grow with each success.
  await post(EVENTS);
  await receiver.waitFor(EVENTS);
  const status = { $ne: 'succeeded' as const };
  await eventually(async () => (await app.models.Delivery.countDocuments({ status })) === 0);

  await mongo.failCommands({ commands: ['update'], collection: 'webhookDeliveries' });
  await post(EVENTS);
  // Fewer attempts are in flight if the endpoint has not all of its slots yet.
  await receiver.waitFor(EVENTS + UNWRITTEN - SLOTS);
  await sleep(SETTLE_MS);
  expect(receiver.received.length).toBeLessThanOrEqual(EVENTS + UNWRITTEN);

  await mongo.failCommands('off');
  await receiver.waitFor(2 * EVENTS);
  const ids = receiver.received.map(({ headers }) => headers['x-svc-delivery-id']);
  expect(new Set(ids).size).toBe(2 * EVENTS);
  expect(receiver.received).toHaveLength(2 * EVENTS);
});
