import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ApiError,
  type ClientOptions,
  EngagementClient,
  EngagementError,
} from '../../packages/client/src/index.ts';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { clientOf, rejectionOf, startProxy } from './support.ts';

let app: TestApp;
let tenant: TestTenant;
beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
});
afterAll(() => app.stop());

describe('an error of the service', () => {
  test('has its code, status, details and request id', async () => {
    const input = { url: 'ftp://example.com', events: ['nonsense'] } as never;
    const options = { headers: { 'X-Request-Id': 'mine-1' } };
    const error = await rejectionOf(clientOf(app, tenant).webhookEndpoints.create(input, options));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toBeInstanceOf(EngagementError);
    expect(error).toMatchObject({
      name: 'ApiError',
      code: 'VALIDATION_FAILED',
      status: 422,
      requestId: 'mine-1',
      retryAfterSeconds: null,
    });
    const { details, message, body } = error as ApiError;
    expect(details.map(({ path }) => path)).toContain('events.0');
    expect(message).toMatch(/^The input is not valid\. .*url: .+ \(VALIDATION_FAILED, HTTP 422\)$/);
    expect(body).toHaveProperty('error.code', 'VALIDATION_FAILED');
  });

  test.each([
    ['UNAUTHENTICATED', 401, (client: EngagementClient) => client.webhookEndpoints.list(), 'eg_r_unknown'],
    ['FORBIDDEN', 403, (client: EngagementClient) => client.drift.getHistory(), undefined],
    ['NOT_FOUND', 404, (client: EngagementClient) => client.webhookEndpoints.get(99), undefined],
    [
      'NOT_FOUND',
      404,
      (client: EngagementClient) => client.forCustomer(7).webhookEndpoints.list(),
      undefined,
    ],
    ['SERVICE_UNAVAILABLE', 503, (client: EngagementClient) => client.drift.getStatus(), undefined],
  ])('is %s with HTTP %i', async (code, status, call, apiKey) => {
    const client = clientOf(app, tenant, { maxRetries: 0, ...(apiKey && { apiKey }) });
    expect(await rejectionOf(call(client))).toMatchObject({ code, status, details: [] });
  });

  test('has the delay of Retry-After, and none of the key', async () => {
    const proxy = await startProxy(app.url, [
      {
        status: 429,
        headers: { 'retry-after': '7', 'content-type': 'application/json' },
        body: '{"error":{"code":"RATE_LIMITED","message":"Too many requests.","requestId":"r-1"}}',
      },
    ]);
    const client = clientOf(proxy, tenant, { maxRetries: 0 });
    const error = await rejectionOf(client.eventTypes.list());
    expect(error).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 7 });
    expect(inspect([error, client], { depth: 10, showHidden: true })).not.toContain(tenant.write);
  });
});

describe('a response that is not one of the service is UNKNOWN', () => {
  test.each([
    [200, '<html>Sign in</html>'],
    [302, ''],
    [500, '<html>Bad gateway</html>'],
    [418, '{"message":"teapot"}'],
    [400, '{"error":{"code":"A_LATER_CODE","message":"Not yet known."}}'],
  ])('HTTP %i %s', async (status, body) => {
    const headers = { location: 'http://127.0.0.1:9/' };
    const proxy = await startProxy(app.url, [{ status, headers, body }]);
    const error = await rejectionOf(clientOf(proxy, tenant).webhookEndpoints.get(1));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: 'UNKNOWN', status });
    expect(proxy.requests).toHaveLength(1);
  });
});

test('health is returned while it is down, without a retry', async () => {
  const health = { status: 'down', database: { status: 'down', latencyMs: null } };
  const proxy = await startProxy(app.url, [
    { status: 503, body: JSON.stringify(health) },
    { status: 503, body: 'No backend is available.' },
  ]);
  const client = clientOf(proxy, tenant);
  expect(await client.health()).toEqual(health);
  expect(await rejectionOf(client.health())).toMatchObject({ code: 'UNKNOWN', status: 503 });
  expect(proxy.requests).toHaveLength(2);
});

describe('a mistake of the caller', () => {
  test.each([
    [{ baseUrl: '' }, /^baseUrl must be/],
    [{ baseUrl: 'engagement.example.com' }, /^baseUrl must be/],
    [{ baseUrl: 'ftp://example.com' }, /^baseUrl must be/],
    [{ baseUrl: 'https://user:password@example.com' }, /^baseUrl must be/],
    [{ apiKey: '' }, /^apiKey must be/],
    [{ apiKey: 'eg_r_secret\n' }, /^apiKey must be/],
  ])('is a TypeError at once: %j', (options: Partial<ClientOptions>, message) => {
    const create = () => new EngagementClient({ baseUrl: 'http://localhost', apiKey: 'eg_r_x', ...options });
    expect(create).toThrow(TypeError);
    expect(create).toThrow(message);
    expect(create).not.toThrow('eg_r_secret');
  });

  test.each(['', '.', '..'])(
    'is a TypeError for the id %j, which would lead to another route',
    async (id) => {
      const error = await rejectionOf(clientOf(app, tenant).preview.conversations.get(id));
      expect(error).toEqual(new TypeError(`conversation_id must be an id, not "${id}".`));
    },
  );

  const never = new Date('never');
  test.each<[string, (client: EngagementClient) => PromiseLike<unknown>]>([
    ['since must be a valid date.', (client) => client.preview.conversations.list({ since: never })],
    [
      'until must be a valid date.',
      (client) => client.webhookEndpoints.recover(1, { since: new Date(), until: never }),
    ],
    [
      'value must be a finite number, not NaN.',
      (client) => client.preview.events.create({ type: 'visit', visitor_id: 'v_1', value: Number.NaN }),
    ],
    ['timeoutMs must be a number above 0, not 0.', (client) => client.eventTypes.list({ timeoutMs: 0 })],
    [
      'timeoutMs must be a number above 0, not NaN.',
      (client) => client.eventTypes.list({ timeoutMs: Number.NaN }),
    ],
  ])('is a TypeError before a request is sent: %s', async (message, call) => {
    const proxy = await startProxy(app.url);
    expect(await rejectionOf(call(clientOf(proxy, tenant)))).toEqual(new TypeError(message));
    expect(proxy.requests).toHaveLength(0);
  });

  test('is a TypeError if an operation requires a customer and none is set', async () => {
    const client = clientOf(app, tenant, { customerId: undefined });
    expect(await rejectionOf(client.webhookEndpoints.list())).toBeInstanceOf(TypeError);
    expect((await client.webhookEndpoints.list({}, { customerId: tenant.customerId })).data).toEqual([]);
  });
});

test('ids are encoded as one segment of the path', async () => {
  const proxy = await startProxy(app.url);
  const error = await rejectionOf(clientOf(proxy, tenant).preview.conversations.get('a/b?c=d'));
  expect(error).toMatchObject({ code: 'NOT_FOUND' });
  expect(proxy.requests[0]?.path).toBe('/v1/conversations/a%2Fb%3Fc%3Dd');
});

test('a base URL keeps its path, without slashes at the end', async () => {
  const proxy = await startProxy(app.url, [{ status: 404 }]);
  await rejectionOf(clientOf({ url: `${proxy.url}/engagement//` }, tenant).eventTypes.list());
  expect(proxy.requests[0]?.path).toBe('/engagement/api/v1/event-types');
});
