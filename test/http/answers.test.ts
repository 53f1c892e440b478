import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createBrokenEndpoint, rawConnection, send, startServer } from './support.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ENDPOINTS = '/api/v1/customers/42/webhook-endpoints';
let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

describe('X-Request-Id', () => {
  test.each(['a', 'A-1_b.c', 'x'.repeat(128)])('is taken from the request if it is valid: %s', async (id) => {
    const answer = await send(server, 'GET', '/nothing', { headers: { 'x-request-id': id } });
    expect(answer.headers.get('x-request-id')).toBe(id);
    expect(answer.body.error?.requestId).toBe(id);
  });

  test.each(['', 'a b', 'a/b', '<script>', 'x'.repeat(129), 'é'])(
    'is generated otherwise: %j',
    async (id) => {
      const answer = await send(server, 'GET', '/api/health', { headers: { 'x-request-id': id } });
      expect(answer.headers.get('x-request-id')).toMatch(UUID);
    },
  );

  test.each([
    ['GET', '/'],
    ['GET', '/v1/docs'],
    ['GET', '/graphql'],
    ['GET', '/api/v1/openapi.json'],
    ['POST', '/graphql'],
    ['GET', ENDPOINTS],
    ['TRACE', '/nothing'],
  ])('is on %s %s', async (method, path) => {
    if (method === 'TRACE') {
      const { socket, received } = await rawConnection(server.port);
      socket.write(`TRACE ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      await eventually(() => received().includes('\r\n\r\n'));
      expect(received()).toMatch(/x-request-id: /i);
      socket.destroy();
      return;
    }
    expect((await send(server, method, path)).headers.get('x-request-id')).toMatch(UUID);
  });
});

describe('headers that disable browser features', () => {
  test.each(['/api/health', ENDPOINTS, '/nothing'])('are set on data: %s', async (path) => {
    const { headers } = await send(server, 'GET', path);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';.*frame-ancestors 'none'/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('access-control-allow-origin')).toBeNull();
    expect(headers.get('x-powered-by')).toBeNull();
  });
});

describe('an internal error', () => {
  test('is INTERNAL without details, and is logged in full with the request ID', async () => {
    const broken = await createBrokenEndpoint(server);
    const answer = await send(server, 'GET', `${ENDPOINTS}/${broken}`, {
      headers: { 'x-request-id': 'find-me' },
    });
    expect(answer.status).toBe(500);
    expect(answer.body).toEqual({
      error: { code: 'INTERNAL', message: 'Internal error.', requestId: 'find-me' },
    });
    const line = server.log.find(({ msg, requestId }) => msg === 'request failed' && requestId === 'find-me');
    expect(JSON.stringify(line)).toContain('toISOString');
    await server.models.Endpoint.deleteOne({ id: broken });
  });
});

describe('the access log', () => {
  test('has a line for each response with its route pattern and tenant, but without key, body or address', async () => {
    server.log.length = 0;
    const path = `${ENDPOINTS}?limit=0&cursor=private`;
    await send(server, 'GET', path, { headers: { 'x-request-id': 'line' } });
    await eventually(() => server.log.length > 0);
    expect(server.log).toHaveLength(1);
    expect(server.log[0]).toMatchObject({
      level: 30,
      requestId: 'line',
      method: 'GET',
      route: '/api/v1/customers/:customerId/webhook-endpoints',
      keyId: expect.stringMatching(/^[0-9a-f]{24}$/),
      status: 422,
      customerId: 42,
    });
    expect(server.log[0]?.durationMs).toEqual(expect.any(Number));
    expect(JSON.stringify(server.log)).not.toMatch(/private|eg_w_|Bearer/);
  });

  test('logs requests without a route as unmatched, whatever their method', async () => {
    server.log.length = 0;
    await send(server, 'GET', '/wp-admin/setup.php?secret=1');
    await eventually(() => server.log.length > 0);
    expect(server.log[0]).toMatchObject({ route: 'unmatched', status: 404 });
  });
});

describe('a malformed HTTP request', () => {
  test.each([
    ['NONSENSE\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nHost x\r\n\r\n', 400],
    ['POST /v1/events HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['GET /api/health HTTP/1.1\r\n\r\n', 400],
    ['GET /api/health HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n', 400],
    ['GET /api/health HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n', 400],
    [
      'GET /api/health HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\nauthorization: Bearer y\r\n\r\n',
      400,
    ],
  ])('receives an error in the common format, and its connection is closed: %#', async (text, status) => {
    const { socket, received, closed } = await rawConnection(server.port);
    socket.write(text);
    await eventually(() => received().includes('"requestId"'));
    expect(received()).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(received()).toMatch(/x-request-id: /i);
    expect(received()).toContain('"code":"BAD_REQUEST"');
    socket.end();
    await closed;
  });
});

describe('Expect', () => {
  const answerTo = async (expectation: string, version = '1.1') => {
    const { socket, received } = await rawConnection(server.port);
    socket.write(`GET /api/health HTTP/${version}\r\nHost: a\r\nExpect: ${expectation}\r\n\r\n`);
    await eventually(() => received().includes('}'));
    socket.destroy();
    return received();
  };

  test.each(['nonsense', '100-continue, nonsense', '200-ok'])('%s is a 417', async (expectation) => {
    const answer = await answerTo(expectation);
    expect(answer).toMatch(/^HTTP\/1\.1 417 Expectation Failed\r\n/);
    expect(answer).toContain('"code":"EXPECTATION_FAILED"');
  });

  test.each(['100-continue', '100-Continue'])('%s is accepted', async (expectation) => {
    expect(await answerTo(expectation)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  test('is ignored in HTTP/1.0', async () => {
    expect(await answerTo('nonsense', '1.0')).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });
});
