import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { KEYS, rawConnection, send, startServer } from './support.ts';

const ENDPOINTS = '/api/v1/customers/42/webhook-endpoints';
let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

describe('an unknown address is a 404', () => {
  test.each([
    '/nothing',
    '/api',
    '/api/',
    '/api/v1',
    '/api/v1/',
    '/api/v1/customers',
    '/api/v1/customers/42',
    `${ENDPOINTS}/`,
    `${ENDPOINTS}//1`,
    `${ENDPOINTS}/1/`,
    '/api/v1//event-types',
    '/api/v1/EVENT-TYPES',
    '/api/health/',
    '/health',
    '/v1/',
    '/v1/nothing',
    '/graphql/',
    '/favicon.ico',
  ])('%s', async (path) => {
    const answer = await send(server, 'GET', path);
    expect(answer.status).toBe(404);
    expect(JSON.stringify(answer.body)).toContain('NOT_FOUND');
  });

  test('an address that only begins like GraphQL has the error format of REST', async () => {
    expect((await send(server, 'GET', '/graphqlx')).body).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect((await send(server, 'GET', '/graphql/')).body).toMatchObject({ errors: [{}] });
  });

  test.each(['/webhook', '/webhook/1'])("Sofa's own %s, on every mount and by every method", async (path) => {
    for (const base of ['/api/v1', '/v1', '/api', '']) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const body = method === 'POST' ? { subscription: 'x', url: 'http://127.0.0.1:1/' } : undefined;
        expect((await send(server, method, base + path, { body })).status, base + path).toBe(404);
      }
    }
  });

  test('a root field under the name that Sofa would generate', async () => {
    expect((await send(server, 'GET', '/api/v1/list-webhook-endpoints')).status).toBe(404);
    expect((await send(server, 'POST', '/api/v1/create-webhook-endpoint', { body: {} })).status).toBe(404);
  });
});

describe('an unsupported method is a 405 that lists the supported ones', () => {
  test.each([
    ['PUT', ENDPOINTS, 'GET, HEAD, POST, OPTIONS'],
    ['DELETE', ENDPOINTS, 'GET, HEAD, POST, OPTIONS'],
    ['POST', `${ENDPOINTS}/1`, 'GET, HEAD, PATCH, DELETE, OPTIONS'],
    ['PUT', '/v1/events', 'GET, HEAD, POST, OPTIONS'],
    ['GET', `${ENDPOINTS}/1/test`, 'POST, OPTIONS'],
    ['HEAD', `${ENDPOINTS}/1/test`, 'POST, OPTIONS'],
    ['POST', '/api/health', 'GET, HEAD, OPTIONS'],
    ['POST', '/api/v1/openapi.json', 'GET, HEAD, OPTIONS'],
    ['PUT', '/graphql', 'GET, HEAD, POST, OPTIONS'],
  ])('%s %s', async (method, path, allowed) => {
    const answer = await send(server, method, path, { key: null });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe(allowed);
    if (method !== 'HEAD') expect(answer.text).toContain('METHOD_NOT_ALLOWED');
  });
});

describe('an id that is malformed is a 404', () => {
  test.each(['0', '-1', '1.0', '01', '+1', '1e3', '2147483648', '99999999999999999999', 'abc', '1%00', '%'])(
    'endpoint %s',
    async (id) => {
      expect((await send(server, 'GET', `${ENDPOINTS}/${id}`)).status).toBe(404);
      expect((await send(server, 'GET', `/api/v1/customers/${id}/webhook-endpoints`)).status).toBe(404);
    },
  );

  test.each(['%', '%zz', '%ff', '%00', 'a%00b'])('delivery %s', async (id) => {
    expect((await send(server, 'GET', `${ENDPOINTS}/1/deliveries/${id}`)).status).toBe(404);
  });

  test('dot segments are not resolved', async () => {
    for (const path of [`${ENDPOINTS}/..`, `${ENDPOINTS}/1/../../webhook`, '/v1/../api/v1/event-types']) {
      const { socket, received } = await rawConnection(server.port);
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEYS.write}\r\n\r\n`);
      await eventually(() => received().includes('\r\n\r\n'));
      expect(received(), path).toMatch(/^HTTP\/1\.1 404 /);
      socket.destroy();
    }
  });
});

test('a target in absolute form is served as in origin form', async () => {
  const { socket, received } = await rawConnection(server.port);
  socket.write('GET http://example.com/api/health?x=1 HTTP/1.1\r\nHost: example.com\r\n\r\n');
  await eventually(() => received().includes('\r\n\r\n'));
  expect(received()).toMatch(/^HTTP\/1\.1 200 /);
  socket.destroy();
});
