import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { runJob } from '../support/jobs.ts';
import { startTestMongo, type TestMongo } from '../support/mongo.ts';
import {
  BEFORE_LAST_ATTEMPT,
  deliveriesOf,
  listening,
  postConversion,
  storeDue,
  type TestEndpoint,
} from './support.ts';

/** Longer than the lease of a delivery, which is two timeouts and 5 s. */
const STALL_MS = 16_000;
/** After it, a lease of 35 s is too short for an attempt of 30 s. */
const RENEWAL_STALL_MS = 6_000;

let mongo: TestMongo;
let app: TestApp;

beforeAll(async () => {
  mongo = await startTestMongo({ failpoints: true });
  app = await startApp({ MONGODB_URI: mongo.uri, WEBHOOK_TIMEOUT: '4s' });
});
afterAll(async () => {
  await app.stop();
  await mongo.stop();
});

const stallNextUpdate = ({ ms = STALL_MS, times = 1 } = {}) =>
  mongo.failCommands({
    commands: ['update'],
    collection: 'webhookDeliveries',
    failure: { blockConnection: true, blockTimeMS: ms },
    times,
  });

const PENDING = { status: 'pending', attempt: 0, lane: 'inline' } as const;

const settled = (tenant: TestTenant, endpoint: TestEndpoint) =>
  eventually(async () => {
    const deliveries = await deliveriesOf(app, tenant, endpoint);
    return deliveries.every(({ status }) => status !== 'pending' && status !== 'retrying') && deliveries;
  }, 90_000);

test('a claim whose write lasts longer than the lease starts no attempt', async () => {
  const { tenant, endpoint, receiver } = await listening(app, { status: 200, delayMs: 500 });
  // Before the deliveries are stored: the job of the service may claim them at once.
  await stallNextUpdate();
  await storeDue(app, tenant, endpoint, PENDING, 2);
  await runJob(app, 'webhooks.claim');
  expect(await settled(tenant, endpoint)).toMatchObject([
    { status: 'succeeded', attempt: 1 },
    { status: 'succeeded', attempt: 1 },
  ]);
  expect(receiver.received).toHaveLength(2);
});

test('attempt 5 is not lost in a claim whose write lasts longer than the lease', async () => {
  const { tenant, endpoint, receiver } = await listening(app, { status: 200, delayMs: 500 });
  await stallNextUpdate();
  await storeDue(app, tenant, endpoint, BEFORE_LAST_ATTEMPT);
  await runJob(app, 'webhooks.claim');
  expect(await settled(tenant, endpoint)).toMatchObject([{ status: 'succeeded', attempt: 5 }]);
  expect(receiver.received).toHaveLength(1);
});

test('a delivery whose lease was too short for an attempt keeps its place in the queue', async () => {
  const { tenant, endpoint } = await listening(app);
  const dueAt = new Date(app.clock.now().getTime() - 3_600_000);
  const changes = app.models.Delivery.collection.watch([{ $match: { operationType: 'update' } }]);
  const released: unknown[] = [];
  changes.on('change', (change) => {
    if (change.operationType !== 'update') return;
    const { removedFields = [], updatedFields } = change.updateDescription;
    if (removedFields.includes('lease')) released.push(updatedFields?.dueAt);
  });
  // Before the delivery is stored: the job of the service may claim it at once.
  await stallNextUpdate();
  await storeDue(app, tenant, endpoint, { ...PENDING, dueAt });
  await runJob(app, 'webhooks.claim');
  await settled(tenant, endpoint);
  await eventually(() => released.length > 0);
  await changes.close();
  expect(released[0]).toEqual(dueAt);
});

test('an attempt with a longer timeout does not begin under a lease whose renewal lasted too long', async () => {
  const { tenant, endpoint, receiver } = await listening(app, 200, { timeoutSeconds: 30 });
  const leaseMs = Promise.withResolvers<number>();
  receiver.behave(() => {
    const left = app.models.Delivery.findOne({ endpointId: endpoint.id }).lean();
    leaseMs.resolve(left.then((delivery) => Number(delivery?.dueAt) - app.clock.now().getTime()));
    return { status: 200, until: leaseMs.promise };
  });
  // The renewal, and its repetition for the tenant alone.
  await stallNextUpdate({ ms: RENEWAL_STALL_MS, times: 2 });
  await postConversion(app, tenant);
  expect(await leaseMs.promise).toBeGreaterThan(30_000);
  expect(await settled(tenant, endpoint)).toMatchObject([{ status: 'succeeded', attempt: 1 }]);
});

// The last test: its stalled write outlasts it, and would use up the stall of the next one.
test('attempt 2 does not follow a write of the result of attempt 1 that lasts longer than the lease', async () => {
  const { tenant, endpoint, receiver } = await listening(app, (_request, index) =>
    index === 0 ? 500 : { status: 200, delayMs: 800 },
  );
  await stallNextUpdate();
  await postConversion(app, tenant);
  await receiver.waitFor(2);
  await runJob(app, 'webhooks.claim');
  expect(await settled(tenant, endpoint)).toMatchObject([{ status: 'succeeded', attempt: 2 }]);
  expect(receiver.received).toHaveLength(2);
});
