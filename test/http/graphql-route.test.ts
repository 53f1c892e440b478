import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { KEYS, openChangeStreams, send, startServer } from './support.ts';

const SUBSCRIPTION = { query: 'subscription { webhookDeliveryUpdated { id } }' };
let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const post = (options: Parameters<typeof send>[3]) => send(server, 'POST', '/graphql', options);

describe('a request-level error has its HTTP status and the GraphQL error format', () => {
  test.each<[number, string, Parameters<typeof send>[3]]>([
    [401, 'UNAUTHENTICATED', { key: null, raw: '{' }],
    [
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      { raw: 'query=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    ],
    [400, 'BAD_REQUEST', { raw: '{' }],
    [400, 'BAD_REQUEST', { raw: '' }],
    [413, 'PAYLOAD_TOO_LARGE', { raw: ' '.repeat(1024 * 1024 + 1) }],
  ])('%i %s', async (status, code, options) => {
    const answer = await post({ ...options, headers: { 'x-request-id': 'r1', ...options?.headers } });
    expect(answer.status).toBe(status);
    expect(answer.body.errors).toEqual([
      { message: expect.any(String), extensions: { code, requestId: 'r1' } },
    ]);
  });
});

test('an operation returns 200, even if the tenant that it names does not exist', async () => {
  const query = '{ viewer { scope } }';
  expect((await post({ body: { query } })).body).toEqual({ data: { viewer: { scope: 'write' } } });
  const foreign = await post({
    body: { query: '{ webhookEndpoints { edges { node { id } } } }' },
    headers: { 'x-customer-id': '77' },
  });
  expect(foreign.status).toBe(200);
  expect(foreign.text).toContain('"code":"NOT_FOUND"');
  const nameless = await post({
    key: KEYS.admin,
    body: { query: '{ webhookEndpoints { edges { node { id } } } }' },
  });
  expect(nameless.status).toBe(200);
  expect(nameless.text).toContain('"code":"VALIDATION_FAILED"');
});

describe('a subscription', () => {
  const subscribe = (url: string, signal?: AbortSignal) =>
    fetch(`${url}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${KEYS.read}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify(SUBSCRIPTION),
      signal,
    });

  test('is an event stream, and ends in the service when the client disconnects', async () => {
    const before = await openChangeStreams(server);
    const leave = new AbortController();
    const response = await subscribe(server.url, leave.signal);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(response.headers.get('x-request-id')).toBeTruthy();
    await eventually(async () => (await openChangeStreams(server)) > before);
    leave.abort();
    await eventually(async () => (await openChangeStreams(server)) <= before);
  });

  test('ends when the server stops, without waiting for the grace period', async () => {
    const other = await startServer();
    const before = await openChangeStreams(other);
    const response = await subscribe(other.url);
    await eventually(async () => (await openChangeStreams(other)) > before);
    const started = performance.now();
    await other.close(60_000);
    expect(performance.now() - started).toBeLessThan(30_000);
    await response.text();
    await eventually(async () => (await openChangeStreams(other)) <= before);
    await other.stop();
  });
});
