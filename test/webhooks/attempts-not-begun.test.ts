import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { eventually, startApp, type TestApp } from '../support/app.ts';
import { freshDatabase } from '../support/databases.ts';
import { runJob } from '../support/jobs.ts';
import { startTestMongo } from '../support/mongo.ts';
import { BEFORE_LAST_ATTEMPT, createEndpoint, deliveryLike, receiving, storeDue } from './support.ts';

/** Longer than the pause before a delivery whose attempt could not begin is claimed again. */
const PAUSE_OVER_MS = 10_000;

/** Claims, and waits until the delivery is back in the queue. */
async function claimInVain(app: TestApp): Promise<void> {
  await runJob(app, 'webhooks.claim');
  await eventually(async () => {
    const delivery = await app.models.Delivery.findOne().lean();
    return delivery?.lease === undefined && Number(delivery?.dueAt) > app.clock.now().getTime();
  });
}

test('attempt 5 is not lost in a process without the encryption key of the secret', async () => {
  await using stack = new AsyncDisposableStack();
  const start = async (key: string) =>
    stack.adopt(await startApp({ MONGODB_URI, CONNECTOR_ENCRYPTION_KEY: key }), (app) => app.stop());
  const MONGODB_URI = freshDatabase();
  const [former, newest] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
  const receiver = await receiving();
  const before = await start(former);
  const tenant = await before.newTenant();
  const endpoint = await createEndpoint(before, tenant, { url: receiver.url });
  await before.stop();

  const without = await start(newest);
  await storeDue(without, tenant, endpoint, BEFORE_LAST_ATTEMPT);
  await claimInVain(without);
  await deliveryLike(without, tenant, endpoint, { status: 'retrying', attempt: 4 });
  await without.stop();

  const app = await start(`${newest},${former}`);
  app.clock.advance(PAUSE_OVER_MS);
  await runJob(app, 'webhooks.claim');
  await deliveryLike(app, tenant, endpoint, { status: 'succeeded', attempt: 5 });
  expect(receiver.received).toHaveLength(1);
});

test('attempt 5 is not lost while endpoints cannot be read', async () => {
  await using stack = new AsyncDisposableStack();
  const mongo = stack.adopt(await startTestMongo({ failpoints: true }), (started) => started.stop());
  const env = { MONGODB_URI: mongo.uri, CONNECTOR_ENCRYPTION_KEY: randomBytes(32).toString('hex') };
  const receiver = await receiving();
  const before = stack.adopt(await startApp(env), (started) => started.stop());
  const tenant = await before.newTenant();
  const endpoint = await createEndpoint(before, tenant, { url: receiver.url });
  await before.stop();

  const app = stack.adopt(await startApp(env), (started) => started.stop());
  await mongo.failCommands({ commands: ['find', 'aggregate'], collection: 'webhookEndpoints' });
  await storeDue(app, tenant, endpoint, BEFORE_LAST_ATTEMPT);
  const stored = await app.models.Delivery.findOne().lean();
  await runJob(app, 'webhooks.claim');
  expect(await app.models.Delivery.findOne().lean()).toEqual(stored);
  await mongo.failCommands('off');

  await runJob(app, 'webhooks.claim');
  await deliveryLike(app, tenant, endpoint, { status: 'succeeded', attempt: 5 });
  expect(receiver.received).toHaveLength(1);
});
