import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { runJob } from '../support/jobs.ts';
import {
  BEFORE_LAST_ATTEMPT,
  deliveriesOf,
  deliveryLike,
  listening,
  postConversion,
  storeDue,
  type TestEndpoint,
} from './support.ts';

/** Settings of an endpoint whose attempts last while another claim comes first. */
const SLOW = { timeoutSeconds: 30 };
/** Longer than a lease. */
const LEASE_OVER_MS = 60_000;

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const detail = async (tenant: TestTenant, { path }: TestEndpoint) => {
  const [delivery] = await deliveriesOf(app, tenant, { path });
  return (await app.request('GET', `${path}/deliveries/${delivery?.id}`, { key: tenant.read })).body;
};

const withAttempts = (tenant: TestTenant, endpoint: TestEndpoint, count: number) =>
  eventually(async () => {
    const body = await detail(tenant, endpoint);
    return (body.attempts as unknown as unknown[]).length === count ? body : null;
  });

test('a 2xx that arrives after the delivery was failed without its attempt 5 makes it succeeded', async () => {
  const gate = Promise.withResolvers<void>();
  const success = { status: 200, until: gate.promise };
  const { tenant, endpoint, receiver } = await listening(app, success, SLOW);
  await storeDue(app, tenant, endpoint, BEFORE_LAST_ATTEMPT);
  await runJob(app, 'webhooks.claim');
  await receiver.waitFor(1);
  app.clock.advance(LEASE_OVER_MS);
  await runJob(app, 'webhooks.claim');
  expect(await detail(tenant, endpoint)).toMatchObject({ status: 'failed', attempt: 5 });
  gate.resolve();
  const body = await withAttempts(tenant, endpoint, 1);
  expect(body).toMatchObject({ status: 'succeeded', error: null, responseStatus: 200, nextRetryAt: null });
  expect(receiver.received).toHaveLength(1);
});

test.each([
  ['has failed and is to be made again', false],
  ['is in flight', true],
])('a 2xx ends a delivery whose next attempt, by another process, %s', async (_state, isInFlight) => {
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const success = { status: 200, until: first.promise };
  const failure = { status: 500, until: second.promise };
  const { tenant, endpoint, receiver } = await listening(
    app,
    (_request, index) => (index === 0 ? success : failure),
    SLOW,
  );
  await postConversion(app, tenant);
  await receiver.waitFor(1);
  app.clock.advance(LEASE_OVER_MS);
  await runJob(app, 'webhooks.claim');
  await receiver.waitFor(2);
  if (!isInFlight) {
    second.resolve();
    await withAttempts(tenant, endpoint, 1);
  }
  first.resolve();
  await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
  second.resolve();
  const body = await withAttempts(tenant, endpoint, 2);
  expect(body).toMatchObject({ status: 'succeeded', error: null, nextRetryAt: null });
  expect(body.attempts).toMatchObject([{ responseStatus: 200 }, { responseStatus: 500 }]);
  const [stored] = await app.models.Delivery.find({ endpointId: endpoint.id }).lean();
  expect(stored).not.toHaveProperty('dueAt');
  expect(stored).not.toHaveProperty('lease');
});

test('a failure that arrives after another process has delivered is logged and changes nothing', async () => {
  const gate = Promise.withResolvers<void>();
  const failure = { status: 500, until: gate.promise };
  const { tenant, endpoint, receiver } = await listening(
    app,
    (_request, index) => (index === 0 ? failure : 200),
    SLOW,
  );
  await postConversion(app, tenant);
  await receiver.waitFor(1);
  app.clock.advance(LEASE_OVER_MS);
  await runJob(app, 'webhooks.claim');
  await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
  gate.resolve();
  const body = await withAttempts(tenant, endpoint, 2);
  expect(body).toMatchObject({ status: 'succeeded', attempt: 2, error: null });
  expect(body.attempts).toMatchObject([{ responseStatus: 500 }, { responseStatus: 200 }]);
  expect(receiver.received).toHaveLength(2);
});
