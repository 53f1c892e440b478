import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KEYS, send, startServer } from './support.ts';

const ENDPOINTS = '/api/v1/customers/42/webhook-endpoints';
const EVENT = { type: 'signup', visitor_id: 'v1' };
let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

describe('without a valid key', () => {
  test.each([
    ['GET', ENDPOINTS],
    ['DELETE', `${ENDPOINTS}/1`],
    ['POST', '/v1/events'],
    ['GET', '/api/v1/event-types'],
    ['POST', '/graphql'],
  ])('%s %s is a 401 that names the authentication scheme', async (method, path) => {
    for (const key of [null, 'eg_w_nobody', '']) {
      const answer = await send(server, method, path, { key });
      expect(answer.status).toBe(401);
      const challenge = key ? 'Bearer error="invalid_token"' : 'Bearer';
      expect(answer.headers.get('www-authenticate')).toBe(challenge);
      expect(answer.text).toContain('UNAUTHENTICATED');
    }
  });

  test('health, documents and pages are available', async () => {
    const paths = [
      '/console',
      '/api/health',
      '/api/v1/openapi.json',
      '/api/v1/docs',
      '/api/v1/asyncapi.json',
      '/api/v1/asyncapi.yaml',
      '/v1/openapi.json',
      '/v1/docs',
      '/graphql',
    ];
    for (const path of paths)
      expect(
        (await send(server, 'GET', path, { key: null, headers: { accept: 'text/html' } })).status,
        path,
      ).toBe(200);
  });
});

describe('scopes', () => {
  test('a read key may read but not write', async () => {
    expect((await send(server, 'GET', ENDPOINTS, { key: KEYS.read })).status).toBe(200);
    const answer = await send(server, 'POST', '/v1/events', { key: KEYS.read, body: EVENT });
    expect(answer.status).toBe(403);
    expect(answer.body.error).toMatchObject({
      code: 'FORBIDDEN',
      message: 'API key lacks the required scope: write.',
    });
  });

  test('a write key may read, and an admin key may do both', async () => {
    expect((await send(server, 'GET', ENDPOINTS, { key: KEYS.write })).status).toBe(200);
    expect((await send(server, 'DELETE', `${ENDPOINTS}/1`, { key: KEYS.admin })).status).toBe(200);
  });
});

describe('the tenant', () => {
  const as = (key: string, path: string, customer?: string) =>
    send(server, 'GET', path, { key, headers: customer === undefined ? {} : { 'x-customer-id': customer } });

  test("of a key is the only one it can access: another tenant's resource is a 404, as an unknown one", async () => {
    const foreign = await as(KEYS.write, '/api/v1/customers/77/webhook-endpoints');
    const absent = await as(KEYS.write, '/api/v1/customers/78/webhook-endpoints');
    expect(foreign.status).toBe(404);
    expect({ ...foreign.body.error, requestId: '' }).toEqual({ ...absent.body.error, requestId: '' });
    const forAdmin = await as(KEYS.admin, '/api/v1/customers/78/webhook-endpoints');
    expect({ ...forAdmin.body.error, requestId: '' }).toEqual({ ...absent.body.error, requestId: '' });
  });

  test.each([
    ['42', 200],
    ['77', 404],
    ['042', 404],
    ['x', 404],
    ['', 404],
  ])('of a key may be named: X-Customer-Id %j is a %i', async (customer, status) => {
    expect((await as(KEYS.write, ENDPOINTS, customer)).status).toBe(status);
    expect((await as(KEYS.write, '/api/v1/event-types', customer)).status).toBe(status);
  });

  test('is named by the path for an admin key, and a different header is a 422', async () => {
    expect((await as(KEYS.admin, ENDPOINTS)).status).toBe(200);
    expect((await as(KEYS.admin, '/api/v1/customers/77/webhook-endpoints', '77')).status).toBe(200);
    const differs = await as(KEYS.admin, ENDPOINTS, '77');
    expect(differs.status).toBe(422);
    expect(differs.body.error?.details?.[0]?.path).toBe('X-Customer-Id');
  });

  test('is named by the header for an admin key where the path names none', async () => {
    const record = (customer?: string) =>
      send(server, 'POST', '/v1/events', {
        key: KEYS.admin,
        body: EVENT,
        headers: customer === undefined ? {} : { 'x-customer-id': customer },
      });
    expect((await record('42')).status).toBe(201);
    expect((await record('78')).status).toBe(404);
    for (const customer of [undefined, 'x', '0', '']) {
      const answer = await record(customer);
      expect(answer.status).toBe(422);
      expect(answer.body.error?.details?.[0]?.path).toBe('X-Customer-Id');
    }
  });

  test('need not be named for operations without tenant data', async () => {
    expect((await as(KEYS.admin, '/api/v1/event-types')).status).toBe(200);
  });
});
