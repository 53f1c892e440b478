import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createLogger } from '../../src/platform/logger.ts';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { createEndpoint, deliveriesOf, postConversion } from './support.ts';

const MINUTE = 60_000;
let app: TestApp;
let receiver: Receiver;
/** Lines of the service's log, warnings and errors. */
const logged: string[] = [];

beforeAll(async () => {
  const log = createLogger('warn', { write: (line) => void logged.push(line) });
  app = await startApp({}, { log });
});
afterAll(() => app.stop());
afterEach(() => receiver.stop());

/** A tenant with one endpoint at a new receiver. */
async function listening(
  behaviour: Parameters<typeof startReceiver>[0],
  input: Record<string, unknown> = {},
) {
  receiver = await startReceiver(behaviour);
  const tenant = await app.newTenant();
  const endpoint = await createEndpoint(app, tenant, { url: receiver.url, ...input });
  return { tenant, endpoint };
}

const settled = (tenant: TestTenant, endpoint: { path: string }, status: string) =>
  eventually(async () =>
    (await deliveriesOf(app, tenant, endpoint)).find((delivery) => delivery.status === status),
  );

describe('a delivery that succeeds', () => {
  test('carries the envelope, both signatures and the delivery id', async () => {
    const { tenant, endpoint } = await listening(200);
    const event = await postConversion(app, tenant, { value: 12.5 });
    const [request] = await receiver.waitFor(1);
    expect(request?.envelope).toEqual({
      event: 'conversion.recorded',
      data: {
        customerId: tenant.customerId,
        orgId: tenant.tenant.orgId,
        conversionEventId: event.id,
        conversationId: null,
        conversionType: 'demo_booked',
        value: 12.5,
      },
      ts: expect.any(Number),
    });
    const delivery = await settled(tenant, endpoint, 'succeeded');
    expect(delivery).toMatchObject({ attempt: 1, nextRetryAt: null, responseStatus: 200, error: null });
    expect(request && receiver.verifies(request, endpoint.secret)).toBe(true);
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-svc-delivery-id': delivery.id,
      'x-svc-timestamp': request?.headers['webhook-timestamp'],
    });
  });

  test('returns its exact payload and its attempt', async () => {
    const { tenant, endpoint } = await listening({ status: 202, body: 'x'.repeat(3000) });
    await postConversion(app, tenant);
    const { id } = await settled(tenant, endpoint, 'succeeded');
    const { body } = await app.request('GET', `${endpoint.path}/deliveries/${id}`, { key: tenant.read });
    expect(body.payload).toBe(receiver.received[0]?.body);
    expect(body.attempts).toEqual([
      {
        number: 1,
        at: expect.any(String),
        manual: false,
        probe: false,
        responseStatus: 202,
        responseBody: 'x'.repeat(1024),
        error: null,
        durationMs: expect.any(Number),
        requestHeaders: expect.any(Array),
        responseHeaders: expect.any(Array),
      },
    ]);
  });

  test('is created only for endpoints whose filter includes the event', async () => {
    const { tenant, endpoint } = await listening(200);
    const other = await createEndpoint(app, tenant, { url: receiver.url, events: ['outcome.marked'] });
    await postConversion(app, tenant);
    await settled(tenant, endpoint, 'succeeded');
    expect(await deliveriesOf(app, tenant, other)).toEqual([]);
  });
});

describe('a delivery that fails', () => {
  test('is retried at once, then after each delay, five attempts in all, with the same bytes', async () => {
    const { tenant, endpoint } = await listening(500);
    await postConversion(app, tenant);
    const delays = [5 * MINUTE, 30 * MINUTE, 120 * MINUTE];
    for (const [index, delay] of delays.entries()) {
      await receiver.waitFor(index + 2);
      const retrying = await eventually(async () =>
        (await deliveriesOf(app, tenant, endpoint)).find(
          ({ attempt, status }) => status === 'retrying' && attempt === index + 2,
        ),
      );
      const wait = await eventually(async () => {
        const [now] = await deliveriesOf(app, tenant, endpoint);
        const left = Date.parse(now?.nextRetryAt ?? '') - app.clock.now().getTime();
        return left > 20_000 ? left : null;
      });
      expect(wait).toBeGreaterThan(delay * 0.9 - 5_000);
      expect(wait).toBeLessThan(delay * 1.1);
      expect(retrying).toMatchObject({ error: 'http_500', responseStatus: 500 });
      app.clock.advance(wait);
    }
    const failed = await settled(tenant, endpoint, 'failed');
    expect(failed).toMatchObject({ attempt: 5, nextRetryAt: null });
    app.clock.advance(24 * 60 * MINUTE);
    // Longer than the interval in which the poller claims due deliveries: no further attempt follows.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(receiver.received).toHaveLength(5);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    const times = receiver.received.map(({ headers }) => Number(headers['x-svc-timestamp']));
    expect(times[4]).toBeGreaterThan((times[0] ?? 0) + 8_000);
    expect(receiver.received.every((request) => request.headers['x-svc-delivery-id'] === failed.id)).toBe(
      true,
    );
  });

  test.each([
    [
      'a redirect, which is not followed',
      { status: 302, headers: { location: 'http://127.0.0.1:1/' } },
      'http_302',
    ],
    ['an answer that comes too late', 'hang', 'timeout'],
    ['a connection that is reset', 'reset', 'connection_reset'],
  ] as const)('records %s', async (_name, behaviour, error) => {
    const input = behaviour === 'hang' ? { timeoutSeconds: 1 } : {};
    const { tenant, endpoint } = await listening(behaviour, input);
    await postConversion(app, tenant);
    const delivery = await eventually(async () =>
      (await deliveriesOf(app, tenant, endpoint)).find(
        ({ attempt, error: found }) => attempt === 2 && found !== null && receiver.received.length === 2,
      ),
    );
    expect(delivery).toMatchObject({ status: 'retrying', error });
  });

  test('succeeds with its second attempt, which follows at once', async () => {
    const { tenant, endpoint } = await listening((_request, index) => (index === 0 ? 503 : 204));
    await postConversion(app, tenant);
    const delivery = await settled(tenant, endpoint, 'succeeded');
    expect(delivery).toMatchObject({ attempt: 2, nextRetryAt: null, error: null });
    const [first, second] = receiver.received;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeLessThan(MINUTE);
  });

  test('honours a longer Retry-After, up to twice the delay', async () => {
    const { tenant, endpoint } = await listening({ status: 429, headers: { 'retry-after': '86400' } });
    await postConversion(app, tenant);
    const wait = await eventually(async () => {
      const [delivery] = await deliveriesOf(app, tenant, endpoint);
      const left = Date.parse(delivery?.nextRetryAt ?? '') - app.clock.now().getTime();
      return left > 60_000 ? left : null;
    });
    expect(wait).toBeGreaterThan(10 * MINUTE * 0.9 - 5_000);
    expect(wait).toBeLessThan(10 * MINUTE * 1.1);
  });

  test('fails at once with 410, and disables the endpoint', async () => {
    const { tenant, endpoint } = await listening(410);
    await postConversion(app, tenant);
    expect(await settled(tenant, endpoint, 'failed')).toMatchObject({ attempt: 1, error: 'http_410' });
    // Once every process has dropped the endpoint from its cache.
    await eventually(async () => {
      const { body } = await app.request('GET', endpoint.path, { key: tenant.read });
      expect(body).toMatchObject({ enabled: false, disabledReason: 'gone' });
      return true;
    });
    // Written after the change that clients see.
    const line = await eventually(() => logged.find((text) => text.includes('webhook endpoint disabled')));
    expect(JSON.parse(line)).toMatchObject({
      customerId: tenant.customerId,
      endpointId: endpoint.id,
      reason: 'gone',
    });
    await postConversion(app, tenant);
    expect(await settled(tenant, endpoint, 'cancelled')).toMatchObject({ attempt: 0 });
    expect(receiver.received).toHaveLength(1);
  });
});

describe('an endpoint that fails for days', () => {
  test('is disabled after five days and a hundred failures, and receives deliveries again once enabled', async () => {
    const { tenant, endpoint } = await listening(500);
    // A hundred failures that took more than ten seconds would open the circuit first.
    const failing = { failures: 96, failingSince: app.clock.now() };
    await app.models.Endpoint.updateOne({ id: endpoint.id }, { $set: failing });
    for (let i = 0; i < 2; i += 1) await postConversion(app, tenant);
    await receiver.waitFor(4);
    await eventually(
      async () => (await app.models.Endpoint.findOne({ id: endpoint.id }).lean())?.failures === 100,
    );
    // What is written later would count from the advanced time.
    await eventually(async () =>
      (await deliveriesOf(app, tenant, endpoint)).every(({ status }) => status === 'retrying'),
    );
    app.clock.advance(5 * 24 * 60 * MINUTE);
    await receiver.waitFor(5);
    const disabled = await eventually(async () => {
      const { body } = await app.request('GET', endpoint.path, { key: tenant.read });
      return body.enabled ? null : body;
    });
    expect(disabled).toMatchObject({ enabled: false, disabledReason: 'failing' });
    await eventually(async () =>
      (await deliveriesOf(app, tenant, endpoint)).every(
        ({ status }) => status !== 'retrying' && status !== 'pending',
      ),
    );

    receiver.behave(200);
    const { body } = await app.request('PATCH', endpoint.path, {
      key: tenant.write,
      body: { enabled: true },
    });
    expect(body).toMatchObject({ enabled: true, disabledReason: null });
    await postConversion(app, tenant);
    expect(await settled(tenant, endpoint, 'succeeded')).toMatchObject({ attempt: 1 });
  });
});
