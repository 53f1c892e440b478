import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { freshDatabase } from '../support/databases.ts';
import { readMetrics } from '../support/metrics.ts';
import { startProfile } from '../support/profile.ts';
import { appOfTest, dataDirOfTest, processOfTest } from '../support/test-scoped.ts';
import {
  BEFORE_LAST_ATTEMPT,
  createEndpoint,
  deliveriesOf,
  deliveryLike,
  endpointsPath,
  listening,
  postConversion,
  receiving,
  storeDue,
} from './support.ts';

const UPDATE = `mutation ($id: Int!, $input: UpdateWebhookEndpointInput!) {
  updateWebhookEndpoint(id: $id, input: $input) { rateLimit { count perSeconds } }
}`;
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

/** Largest number of attempts within a period. */
function largestRate(times: number[], periodMs: number): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + periodMs).length));
}

describe('the rate limit of an endpoint', () => {
  test('is null unless it is set, and again after null', async () => {
    const { tenant, endpoint } = await listening(app);
    const { body } = await app.request('GET', endpoint.path, { key: tenant.read });
    expect(body.rateLimit).toBeNull();
    const rateLimit = { count: 10, perSeconds: 60 };
    const update = (input: object) => app.graphql(UPDATE, { id: endpoint.id, input }, tenant.write);
    expect((await update({ rateLimit })).body).toEqual({ data: { updateWebhookEndpoint: { rateLimit } } });
    const cleared = await app.request('PATCH', endpoint.path, {
      key: tenant.write,
      body: { rateLimit: null },
    });
    expect(cleared.body.rateLimit).toBeNull();
  });

  test('lets a burst of one period through; the rest waits with a time and a reason', async () => {
    const rateLimit = { count: 3, perSeconds: 3_600 };
    const { tenant, endpoint, receiver } = await listening(app, 200, { rateLimit });
    for (let index = 0; index < 5; index += 1) await postConversion(app, tenant);
    await receiver.waitFor(3);
    const waiting = await eventually(async () => {
      const found = await deliveriesOf(app, tenant, endpoint, '?status=pending');
      return found.length === 2 && found.every(({ waitingFor }) => waitingFor === 'rate_limit')
        ? found
        : null;
    });
    for (const { nextRetryAt, attempt } of waiting) {
      expect(attempt).toBe(0);
      expect(Date.parse(String(nextRetryAt)) - app.clock.now().getTime()).toBeGreaterThan(3_500_000);
    }
    const metric = async () =>
      (await readMetrics(app)).value('engagement_webhook_waiting_deliveries', { reason: 'rate_limit' });
    await eventually(async () => (await metric()) === 2);
    expect(receiver.received).toHaveLength(3);
    app.clock.advance(3_660_000);
    await receiver.waitFor(4);
    // The others are sent evenly.
    app.clock.advance(1_200_000);
    await receiver.waitFor(5);
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded', waitingFor: null });
  });

  test('counts every request, second attempts included', async () => {
    const rateLimit = { count: 3, perSeconds: 3_600 };
    const { tenant, endpoint, receiver } = await listening(app, 500, { rateLimit });
    await postConversion(app, tenant);
    await postConversion(app, tenant);
    await receiver.waitFor(3);
    const held = await deliveryLike(app, tenant, endpoint, { attempt: 1, waitingFor: 'rate_limit' });
    expect(held.status).toBe('retrying');
    expect(receiver.received).toHaveLength(3);
  });

  test('delays no other endpoint, and ends with the limit', async () => {
    const rateLimit = { count: 1, perSeconds: 3_600 };
    const { tenant, endpoint, receiver } = await listening(app, 200, { rateLimit });
    const other = await receiving();
    await createEndpoint(app, tenant, { url: other.url });
    await Promise.all(Array.from({ length: 100 }, () => postConversion(app, tenant)));
    await other.waitFor(100);
    await receiver.waitFor(1);
    expect(receiver.received).toHaveLength(1);
    await app.request('PATCH', endpoint.path, { key: tenant.write, body: { rateLimit: null } });
    await receiver.waitFor(100);
  });

  test('holds at the begin of attempts, also when a slow receiver becomes fast', {
    timeout: 180_000,
  }, async () => {
    const [count, perSeconds] = [10, 1];
    // So that no attempt times out, and a second one follows.
    const { tenant, endpoint, receiver } = await listening(app, 200, { timeoutSeconds: 30 });
    // Successes let the window of the endpoint grow to all of its slots.
    for (let sent = 0; sent < 40; sent += 1) await postConversion(app, tenant);
    await receiver.waitFor(40);
    const rateLimit = { count, perSeconds };
    await app.request('PATCH', endpoint.path, { key: tenant.write, body: { rateLimit } });
    receiver.behave({ status: 200, delayMs: 4_000 });
    await Promise.all(Array.from({ length: 60 }, () => postConversion(app, tenant)));
    await receiver.waitFor(40 + 16);
    await sleep(2_000);
    receiver.behave(200);
    await receiver.waitFor(40 + 60);
    const times = receiver.received.slice(40).map(({ at }) => at);
    // They are the times of the receiver, to which a stall of this process adds.
    expect(largestRate(times, perSeconds * 1_000)).toBeLessThanOrEqual(3 * count);
  });

  test.each([
    [{ count: 0, perSeconds: 1 }, 'rateLimit.count'],
    [{ count: 10_001, perSeconds: 1 }, 'rateLimit.count'],
    [{ count: 1, perSeconds: 0 }, 'rateLimit.perSeconds'],
    [{ count: 1, perSeconds: 86_401 }, 'rateLimit.perSeconds'],
    [{ count: 1 }, 'rateLimit.perSeconds'],
    [{ count: 1.5, perSeconds: 1 }, 'rateLimit.count'],
    [5, 'rateLimit'],
  ])('cannot be %j', async (rateLimit, path) => {
    const tenant = await app.newTenant();
    const body = { url: 'https://receiver.example.com', rateLimit };
    const refused = await app.request('POST', endpointsPath(tenant.customerId), { key: tenant.write, body });
    expect(refused).toMatchObject({
      status: 422,
      body: { error: { code: 'VALIDATION_FAILED', details: [{ path }] } },
    });
  });
});

describe('a rate-limited endpoint under load', () => {
  let busy: TestApp;
  const post = (tenant: TestTenant, events: number) =>
    Promise.all(Array.from({ length: events }, () => postConversion(busy, tenant)));

  beforeAll(async () => {
    // A tenant has four of these slots.
    busy = await startApp({ WEBHOOK_CONCURRENCY: '16', WEBHOOK_CONCURRENCY_PER_ENDPOINT: '2' });
  });
  afterAll(() => busy.stop());

  test('gets its turns while other endpoints take every slot of the tenant', {
    timeout: 180_000,
  }, async () => {
    const rateLimit = { count: 1_000, perSeconds: 10 };
    const { tenant, receiver } = await listening(busy, 200, { rateLimit });
    const others = await receiving({ status: 200, delayMs: 200 });
    for (let index = 0; index < 4; index += 1)
      await createEndpoint(busy, tenant, { url: `${others.url}/${index}` });
    const events = 60;
    await post(tenant, events);
    await receiver.waitFor(events / 3);
    expect(others.received.length).toBeLessThan(4 * events - 40);
    await receiver.waitFor(events);
  });

  test.each([
    ['slots', { count: 1_000, perSeconds: 1 }, 200],
    ['permits', { count: 10, perSeconds: 1 }, 0],
  ])(
    'retries beside new events that take all of its %s',
    {
      timeout: 180_000,
    },
    async (_what, rateLimit, delayMs) => {
      const { tenant, endpoint, receiver } = await listening(busy, { status: 200, delayMs }, { rateLimit });
      const dueAt = busy.clock.now();
      const events = 100;
      await post(tenant, events);
      const retries = await storeDue(busy, tenant, endpoint, { ...BEFORE_LAST_ATTEMPT, dueAt }, 2);
      await eventually(() => {
        const ids = receiver.received.map(({ headers }) => String(headers['x-svc-delivery-id']));
        return retries.every((id) => ids.includes(id));
      });
      expect(receiver.received.length).toBeLessThan(events - 30);
      await receiver.waitFor(events + retries.length);
    },
  );

  test('returns what gets no permit with its slot to the queue once', { timeout: 180_000 }, async () => {
    const rateLimit = { count: 2, perSeconds: 3_600 };
    const slow = { status: 200, delayMs: 2_000 };
    // Both slots are in use, and a third delivery waits for one in memory, when the permits are exhausted.
    const { tenant, endpoint, receiver } = await listening(busy, slow, { rateLimit, timeoutSeconds: 15 });
    await post(tenant, 5);
    await receiver.waitFor(2);
    const waiting = await eventually(async () => {
      const found = await deliveriesOf(busy, tenant, endpoint, '?status=pending');
      return found.length === 3 && found.every(({ waitingFor }) => waitingFor === 'rate_limit')
        ? found
        : null;
    });
    for (const { nextRetryAt, attempt } of waiting) {
      expect(attempt).toBe(0);
      expect(Date.parse(String(nextRetryAt)) - busy.clock.now().getTime()).toBeGreaterThan(3_500_000);
    }
    await eventually(
      async () => (await deliveriesOf(busy, tenant, endpoint, '?status=succeeded')).length === 2,
    );
    const profile = await startProfile(busy.models.Delivery.db.db);
    await sleep(3_000);
    const commands = await profile.end();
    const updates = await commands.countDocuments({ ns: /webhookDeliveries$/, op: 'update' });
    expect(updates).toBe(0);
    expect(receiver.received).toHaveLength(2);
  });
});

describe('two processes', () => {
  test('keep to the limit of an endpoint together, within 10 %', { timeout: 180_000 }, async () => {
    const mongodbUri = freshDatabase();
    const dataDir = await dataDirOfTest();
    const api = await appOfTest({ MONGODB_URI: mongodbUri, DATA_DIR: dataDir });
    await processOfTest(dataDir, { mongodbUri, env: { ROLE: 'worker' } });
    const [count, perSeconds] = [50, 5];
    const { tenant, endpoint, receiver } = await listening(api, 200, { rateLimit: { count, perSeconds } });
    const events = 4 * count;
    for (let sent = 0; sent < events; sent += 20)
      await Promise.all(Array.from({ length: 20 }, () => postConversion(api, tenant)));
    await receiver.waitFor(events);
    await eventually(
      async () => (await api.models.Delivery.countDocuments({ status: { $ne: 'succeeded' } })) === 0,
    );
    const deliveries = await api.models.Delivery.find({ endpointId: endpoint.id }).lean();
    const times = deliveries
      .flatMap(({ attempts }) => attempts.map(({ at }) => at.getTime()))
      .toSorted((a, b) => a - b);
    expect(times).toHaveLength(events);
    expect(largestRate(times, perSeconds * 1_000)).toBeLessThanOrEqual(1.1 * count);
    // The first period is a burst, and the others are paced: 15 seconds and the delays of a loaded machine.
    const [first = 0, last = 0] = [times[0], times.at(-1)];
    expect((last - first) / 1_000).toBeLessThan(40);
    const paced = times.slice(count);
    expect(largestRate(paced, 1_000)).toBeLessThanOrEqual(2 * (count / perSeconds));
    const ids = receiver.received.map(({ headers }) => headers['x-svc-delivery-id']);
    expect(new Set(ids).size).toBe(events);
  });
});
