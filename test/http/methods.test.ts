import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { KEYS, rawConnection, send, startServer } from './support.ts';

const ENDPOINTS = '/api/v1/customers/42/webhook-endpoints';
let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** Headers that differ from one response to the next. */
const CHANGING = ['date', 'x-request-id'];

/** Status and headers of a response, as received. */
const headOf = (method: string, path: string, headers: Record<string, string> = {}) =>
  new Promise<{ status: number | undefined; headers: object; bytes: number }>((resolve, reject) => {
    const authorization = `Bearer ${KEYS.read}`;
    const sent = request(
      server.url + path,
      { method, headers: { authorization, ...headers }, agent: false },
      (res) => {
        let bytes = 0;
        res.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        res.on('end', () => {
          const fields = Object.entries(res.headers).filter(([name]) => !CHANGING.includes(name));
          // A page has a new nonce each time.
          const text = JSON.stringify(Object.fromEntries(fields)).replaceAll(/nonce-[^']+/g, 'nonce-x');
          resolve({ status: res.statusCode, headers: JSON.parse(text), bytes });
        });
      },
    );
    sent.on('error', reject).end();
  });

describe('HEAD', () => {
  test('of a subscription has the headers of its stream, and ends', async () => {
    const query = encodeURIComponent('subscription { webhookDeliveryUpdated { id } }');
    const head = await headOf('HEAD', `/graphql?query=${query}`, { accept: 'text/event-stream' });
    expect(head).toMatchObject({
      status: 200,
      headers: { 'content-type': expect.stringContaining('text/event-stream') },
      bytes: 0,
    });
  });

  test.each([
    '/',
    '/console',
    '/graphql',
    '/api/v1/docs',
    '/api/v1/openapi.json',
    '/api/v1/asyncapi.json',
    '/v1/openapi.json',
    '/api/v1/event-types',
    '/v1/conversations',
    ENDPOINTS,
    `${ENDPOINTS}/1`,
    `${ENDPOINTS}/99`,
    '/metrics/nothing',
    '/nothing',
  ])('%s has the headers of GET, Content-Length included, and no body', async (path) => {
    for (const encoding of ['identity', 'gzip']) {
      const get = await headOf('GET', path, { 'accept-encoding': encoding });
      const head = await headOf('HEAD', path, { 'accept-encoding': encoding });
      expect(head).toEqual({ ...get, bytes: 0 });
      expect(get.headers).toMatchObject({ 'content-length': String(get.bytes) });
    }
  });

  test('of a script has no body, whether or not it is compressed', async () => {
    const page = await send(server, 'GET', '/api/v1/docs');
    const script = /src="([^"]+\.js)"/.exec(page.text)?.[1] ?? '';
    for (const encoding of ['identity', 'gzip', 'gzip;q=0']) {
      const get = await headOf('GET', script, { 'accept-encoding': encoding });
      expect(await headOf('HEAD', script, { 'accept-encoding': encoding })).toEqual({ ...get, bytes: 0 });
      expect('content-encoding' in get.headers).toBe(encoding === 'gzip');
    }
  });

  test('needs a key wherever GET does', async () => {
    const answer = await send(server, 'HEAD', ENDPOINTS, { key: null });
    expect([answer.status, answer.text]).toEqual([401, '']);
  });

  test('leaves the connection in order for the next request', async () => {
    const { socket, received } = await rawConnection(server.port);
    socket.write(
      'HEAD /api/v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\nGET /api/health HTTP/1.1\r\nHost: x\r\n\r\n',
    );
    await eventually(() => received().includes('"database"'));
    expect(received().match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
    socket.destroy();
  });
});

describe('OPTIONS', () => {
  test.each([
    ['/', 'GET, HEAD, OPTIONS'],
    ['/api/health', 'GET, HEAD, OPTIONS'],
    ['/graphql', 'GET, HEAD, POST, OPTIONS'],
    ['/v1/events', 'GET, HEAD, POST, OPTIONS'],
    [ENDPOINTS, 'GET, HEAD, POST, OPTIONS'],
    [`${ENDPOINTS}/1`, 'GET, HEAD, PATCH, DELETE, OPTIONS'],
  ])('%s lists the methods, without a key', async (path, allow) => {
    const answer = await send(server, 'OPTIONS', path, { key: null });
    expect([answer.status, answer.text, answer.headers.get('allow')]).toEqual([204, '', allow]);
    expect(answer.headers.get('content-length')).toBeNull();
    expect(answer.headers.get('access-control-allow-methods')).toBeNull();
  });

  test('of an unknown path is a 404', async () => {
    expect((await send(server, 'OPTIONS', '/api/v1/nothing', { key: null })).status).toBe(404);
  });
});

describe('a path with encoded characters', () => {
  test.each([
    '/%61pi/v1/custom%65rs/%34%32/webhook%2Dendpoints/%31',
    '/api%2Fv1/customers/42/webhook-endpoints/1',
    '/api/v1/customers/42/webhook-endpoints%3F/1',
  ])('%s is the same only if they are unreserved', async (path) => {
    const answer = await send(server, 'GET', path);
    expect(answer.status).toBe(path.includes('%61') ? 200 : 404);
  });

  test('matches pages and GraphQL as well', async () => {
    const page = await send(server, 'GET', '/%67raphql', { headers: { accept: 'text/html' } });
    expect(page.status).toBe(200);
    const answer = await send(server, 'POST', '/graph%71l', { body: { query: '{ viewer { scope } }' } });
    expect(answer.status).toBe(200);
  });

  test('has no dot segments', async () => {
    expect((await send(server, 'GET', '/api/v1/%2e%2e/health')).status).toBe(404);
  });
});

describe('a 201', () => {
  test('names the path of the new endpoint', async () => {
    const created = await send(server, 'POST', ENDPOINTS, { body: { url: 'http://127.0.0.1:9/new' } });
    const location = created.headers.get('location') ?? '';
    expect(location).toMatch(/^\/api\/v1\/customers\/42\/webhook-endpoints\/\d+$/);
    const { endpoint } = created.body as unknown as { endpoint: unknown };
    expect((await send(server, 'GET', location)).body).toEqual(endpoint);
  });
});

describe('PATCH', () => {
  test('requires a body, which may be without changes', async () => {
    const before = await send(server, 'GET', `${ENDPOINTS}/1`);
    const empty = await send(server, 'PATCH', `${ENDPOINTS}/1`);
    expect([empty.status, empty.body.error?.code]).toEqual([400, 'BAD_REQUEST']);
    const unchanged = await send(server, 'PATCH', `${ENDPOINTS}/1`, { body: {} });
    expect([unchanged.status, unchanged.body]).toEqual([200, before.body]);
  });
});
