import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ApiError,
  ConnectionError,
  EngagementClient,
  RequestTimeoutError,
} from '../../packages/client/src/index.ts';
import { freePort } from '../../src/runtime/embedded/free-port.ts';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { recordedEvents } from '../support/recorded-events.ts';
import { clientOf, rejectionOf, startProxy } from './support.ts';

let app: TestApp;
let tenant: TestTenant;
beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
});
afterAll(() => app.stop());

const conversion = (visitor: string) => ({
  type: 'conversion',
  goal: 'demo_booked',
  visitor_id: visitor,
  value: 250,
});

/** Number of stored events of a visitor. */
const eventsOf = async (visitorId: string): Promise<number> =>
  (await recordedEvents(app.models, { visitorId })).count;

describe('a POST is retried under one idempotency key', () => {
  test.each(['cut', 'truncate'] as const)(
    'so that an event exists once although its responses are lost (%s)',
    async (treatment) => {
      const proxy = await startProxy(app.url, [treatment, treatment]);
      const client = clientOf(proxy, tenant);

      const { data, headers } = await client.preview.events.create(conversion(treatment)).withResponse();

      expect(data).toMatchObject({ visitor_id: treatment, goal: 'demo_booked' });
      expect(headers.get('idempotent-replayed')).toBe('true');
      expect(await eventsOf(treatment)).toBe(1);
      const keys = proxy.requests.map((request) => request.headers['idempotency-key']);
      expect(keys).toHaveLength(3);
      expect(new Set(keys).size).toBe(1);
    },
  );

  test('so that an endpoint exists once although the response to its creation is lost', async () => {
    const proxy = await startProxy(app.url, ['cut']);
    const owner = await app.newTenant();
    const client = clientOf(proxy, owner);

    const created = await client.webhookEndpoints.create({ url: 'http://127.0.0.1:9/hooks' });

    const listed = await client.webhookEndpoints.list();
    expect(listed.data.map(({ id }) => id)).toEqual([created.endpoint.id]);
    expect(created.secret).toMatch(/^whsec_/);
  });

  test('that each call generates unless the caller sets one', async () => {
    const proxy = await startProxy(app.url);
    const client = clientOf(proxy, tenant);
    const first = await client.preview.events.create(conversion('twice'));
    const second = await client.preview.events.create(conversion('twice'));
    expect(second.id).not.toBe(first.id);

    const options = { idempotencyKey: 'order-17' };
    const original = await client.preview.events.create(conversion('once'), options);
    const repeated = await client.preview.events.create(conversion('once'), options);
    expect(repeated).toEqual(original);
    expect(await eventsOf('once')).toBe(1);
  });
});

describe('a retry follows', () => {
  test('a retry that finds its first attempt still in progress', async () => {
    const proxy = await startProxy(app.url, [
      'cut',
      {
        status: 409,
        headers: { 'retry-after': '1' },
        body: '{"error":{"code":"CONFLICT","message":"A request with this Idempotency-Key is in progress."}}',
      },
    ]);
    await clientOf(proxy, tenant).preview.events.create(conversion('overtaken'));
    expect(proxy.requests).toHaveLength(3);
    expect(await eventsOf('overtaken')).toBe(1);
  });

  test.each([408, 429, 502, 503, 504])('HTTP %i', async (status) => {
    const proxy = await startProxy(app.url, [{ status }]);
    await clientOf(proxy, tenant).webhookEndpoints.list();
    expect(proxy.requests).toHaveLength(2);
  });

  test.each(['refuse', 'cut', 'truncate'] as const)('a broken connection (%s)', async (treatment) => {
    const proxy = await startProxy(app.url, [treatment]);
    await clientOf(proxy, tenant).webhookEndpoints.list();
    expect(proxy.requests).toHaveLength(2);
  });

  test('an attempt that times out', async () => {
    const proxy = await startProxy(app.url, ['hang']);
    await clientOf(proxy, tenant, { timeoutMs: 5_000 }).webhookEndpoints.list();
    expect(proxy.requests).toHaveLength(2);
  });

  test('after the delay that Retry-After asks for', async () => {
    const proxy = await startProxy(app.url, [
      { status: 429, headers: { 'retry-after': '2' } },
      { status: 503, headers: { 'retry-after': new Date(Date.now() + 15_000).toUTCString() } },
    ]);
    await clientOf(proxy, tenant).webhookEndpoints.list();
    const [first = 0, second = 0, third = 0] = proxy.requests.map(({ at }) => at);
    expect(second - first).toBeGreaterThanOrEqual(1_990);
    expect(third - second).toBeGreaterThan(1_000);
  });

  test('after a delay that grows, without one', async () => {
    const unavailable = { status: 503 };
    const proxy = await startProxy(app.url, [unavailable, unavailable, unavailable]);
    await clientOf(proxy, tenant, { maxRetries: 3 }).webhookEndpoints.list();
    const delays = proxy.requests.slice(1).map(({ at }, index) => at - (proxy.requests[index]?.at ?? 0));
    expect(delays).toHaveLength(3);
    // The upper bound is asserted in virtual time (`test/unit/client-package/retry-delays.test.ts`).
    for (const [index, delay] of delays.entries()) expect(delay).toBeGreaterThanOrEqual(250 * 2 ** index - 5);
  });
});

describe('no retry follows', () => {
  test.each([400, 401, 403, 404, 409, 422, 500])('HTTP %i', async (status) => {
    const proxy = await startProxy(app.url, [{ status }]);
    const error = await rejectionOf(clientOf(proxy, tenant).webhookEndpoints.list());
    expect(error).toMatchObject({ status });
    expect(proxy.requests).toHaveLength(1);
  });

  test('a Retry-After that is longer than a minute: the error names it', async () => {
    const proxy = await startProxy(app.url, [{ status: 429, headers: { 'retry-after': '61' } }]);
    const error = await rejectionOf(clientOf(proxy, tenant).webhookEndpoints.list());
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 429, retryAfterSeconds: 61 });
    expect(proxy.requests).toHaveLength(1);
  });

  test('the last of maxRetries, of the client or of the request', async () => {
    const proxy = await startProxy(
      app.url,
      Array.from({ length: 6 }, () => ({ status: 503 })),
    );
    const client = clientOf(proxy, tenant, { maxRetries: 1 });
    expect(await rejectionOf(client.webhookEndpoints.list())).toMatchObject({ status: 503 });
    expect(proxy.requests).toHaveLength(2);
    expect(await rejectionOf(client.webhookEndpoints.list({}, { maxRetries: 0 }))).toMatchObject({
      status: 503,
    });
    expect(proxy.requests).toHaveLength(3);
  });
});

describe('a request that gets no response', () => {
  test('rejects with a RequestTimeoutError after timeoutMs', async () => {
    const proxy = await startProxy(app.url, ['hang', 'hang']);
    const options = { timeoutMs: 2_000, maxRetries: 1 };
    const error = await rejectionOf(clientOf(proxy, tenant, options).webhookEndpoints.list());
    expect(error).toBeInstanceOf(RequestTimeoutError);
    expect(error).toHaveProperty(
      'message',
      'The request timed out after 2000 ms; raise timeoutMs if the operation takes longer.',
    );
    expect(proxy.requests).toHaveLength(2);
  });

  test('rejects with a ConnectionError that names the cause if the service cannot be reached', async () => {
    const baseUrl = `http://127.0.0.1:${await freePort()}`;
    const client = new EngagementClient({ baseUrl, apiKey: 'eg_r_x', maxRetries: 0 });
    const error = await rejectionOf(client.eventTypes.list());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toHaveProperty('message', `The request to ${baseUrl} failed: ECONNREFUSED.`);
    expect(error).toHaveProperty('cause');
  });
});

test('a timeoutMs beyond the range of timers is no limit', async () => {
  const options = { timeoutMs: Number.POSITIVE_INFINITY, maxRetries: 0 };
  expect((await clientOf(app, tenant, options).eventTypes.list()).data.length).toBeGreaterThan(0);
});

describe('a signal aborts', () => {
  test('a request before it is sent', async () => {
    const proxy = await startProxy(app.url);
    const options = { signal: AbortSignal.abort(new Error('no longer needed')) };
    const error = await rejectionOf(clientOf(proxy, tenant).webhookEndpoints.get(1, options));
    expect(error).toHaveProperty('message', 'no longer needed');
    expect(proxy.requests).toHaveLength(0);
  });

  test('an attempt in progress, without a retry', async () => {
    const proxy = await startProxy(app.url, ['hang']);
    const controller = new AbortController();
    const options = { signal: controller.signal };
    const rejection = rejectionOf(clientOf(proxy, tenant).webhookEndpoints.list({}, options));
    await eventually(() => proxy.requests.length === 1);
    controller.abort(new DOMException('The caller timed out.', 'TimeoutError'));
    const error = await rejection;
    expect(error).toHaveProperty('name', 'TimeoutError');
    expect(error).not.toBeInstanceOf(RequestTimeoutError);
    expect(proxy.requests).toHaveLength(1);
  });

  test('the delay before a retry', async () => {
    const proxy = await startProxy(app.url, [{ status: 503, headers: { 'retry-after': '30' } }]);
    const started = performance.now();
    const controller = new AbortController();
    const options = { signal: controller.signal };
    const rejection = rejectionOf(clientOf(proxy, tenant).webhookEndpoints.list({}, options));
    await eventually(() => proxy.requests.length === 1);
    // Time for the client to read the response.
    await sleep(300);
    controller.abort(new DOMException('The caller timed out.', 'TimeoutError'));
    expect(await rejection).toHaveProperty('name', 'TimeoutError');
    expect(performance.now() - started).toBeLessThan(25_000);
    expect(proxy.requests).toHaveLength(1);
  });
});
