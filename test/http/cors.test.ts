import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KEYS, send, startServer } from './support.ts';

const ENDPOINT = '/api/v1/customers/42/webhook-endpoints/1';
const APP = 'https://app.example.com';
type Server = Awaited<ReturnType<typeof startServer>>;

const preflight = (server: Server, path: string, origin: string) =>
  send(server, 'OPTIONS', path, {
    key: null,
    headers: {
      origin,
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'authorization,content-type,if-match,x-customer-id',
    },
  });

const corsHeaders = ({ headers }: { headers: Headers }) =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'));

describe('by default', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  test('no origin is permitted, and the response does not depend on it', async () => {
    const refused = await preflight(server, ENDPOINT, APP);
    expect([refused.status, corsHeaders(refused)]).toEqual([204, []]);
    const answer = await send(server, 'GET', ENDPOINT, { headers: { origin: APP } });
    expect([answer.status, corsHeaders(answer), answer.headers.get('vary')]).toEqual([200, [], null]);
  });
});

describe('with a list of origins', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer({ env: { CORS_ORIGINS: `${APP}, http://localhost:5173` } });
  });
  afterAll(() => server.stop());

  test.each([APP, 'http://localhost:5173'])('%s may call the APIs with their headers', async (origin) => {
    const { status, headers } = await preflight(server, ENDPOINT, origin);
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    expect(headers.get('access-control-allow-methods')).toBe('GET, HEAD, PATCH, DELETE, OPTIONS');
    expect(headers.get('access-control-allow-headers')).toBe('Authorization, *');
    expect(headers.get('access-control-max-age')).toBe('7200');
    expect(headers.get('vary')).toBe('Origin');
  });

  test.each([
    'https://app.example.com.evil.example',
    'http://app.example.com',
    'https://app.example.com:8443',
    'null',
  ])('%s may not', async (origin) => {
    const refused = await preflight(server, ENDPOINT, origin);
    expect([refused.status, corsHeaders(refused), refused.headers.get('vary')]).toEqual([204, [], 'Origin']);
    const answer = await send(server, 'GET', ENDPOINT, { headers: { origin } });
    expect([corsHeaders(answer), answer.headers.get('vary')]).toEqual([[], 'Origin']);
  });

  test.each([
    ['GET', ENDPOINT, 200],
    ['GET', '/api/v1/openapi.json', 200],
    ['GET', '/api/health', 200],
    ['GET', '/api/v1/nothing', 404],
    ['POST', '/graphql', 400],
    ['POST', '/v1/events', 400],
  ])('%s %s exposes its headers, never with credentials', async (method, path, status) => {
    const answer = await send(server, method, path, { headers: { origin: APP } });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('access-control-allow-origin')).toBe(APP);
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    expect(answer.headers.get('vary')).toContain('Origin');
    const exposed = answer.headers.get('access-control-expose-headers')?.split(', ');
    for (const name of ['ETag', 'Location', 'Retry-After', 'X-Request-Id', 'RateLimit-Remaining'])
      expect(exposed).toContain(name);
  });

  test('the response to a rejected key and to a large body can be read as well', async () => {
    const rejected = await send(server, 'GET', ENDPOINT, { key: 'eg_r_x', headers: { origin: APP } });
    expect([rejected.status, rejected.headers.get('access-control-allow-origin')]).toEqual([401, APP]);
    const large = await fetch(`${server.url}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEYS.write}`, 'content-type': 'application/json', origin: APP },
      body: ' '.repeat(1024 * 1024 + 1),
    });
    expect([large.status, large.headers.get('access-control-allow-origin')]).toEqual([413, APP]);
  });

  test('responses without an origin vary by it too', async () => {
    const answer = await send(server, 'GET', ENDPOINT);
    expect([corsHeaders(answer), answer.headers.get('vary')]).toEqual([[], 'Origin']);
  });

  test.each(['/graphql', '/api/v1/docs', '/console', '/metrics'])('%s cannot be read', async (path) => {
    const page = await send(server, 'GET', path, { headers: { origin: APP, accept: 'text/html' } });
    expect([page.status, corsHeaders(page)]).toEqual([200, []]);
  });
});

describe('with *', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer({ env: { CORS_ORIGINS: '*' } });
  });
  afterAll(() => server.stop());

  test('any origin is permitted, without credentials', async () => {
    const answer = await preflight(server, ENDPOINT, 'https://anything.example');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    expect(answer.headers.get('vary')).toBeNull();
  });

  test('pages, which may contain the demo key, cannot be read', async () => {
    const page = await send(server, 'GET', '/graphql', {
      headers: { origin: 'https://anything.example', accept: 'text/html' },
    });
    expect([page.status, corsHeaders(page)]).toEqual([200, []]);
  });
});
