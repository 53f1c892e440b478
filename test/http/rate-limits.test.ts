import { describe, expect, test } from 'vitest';
import { KEYS, send, startServer } from './support.ts';

const LIMIT = { env: { RATE_LIMIT: '3/min' } };
const GENEROUS_LIMIT = { env: { RATE_LIMIT: '1000000/min' } };
/** A well-formed key that does not exist. */
const guess = (number: number) => `eg_r_${String(number).padStart(43, '0')}`;
const get = (server: { url: string }, key: string, path = '/api/v1/event-types') =>
  send(server, 'GET', path, { key });

test('counts the requests of each key, reports the remaining ones, and rejects those over the limit', async () => {
  const server = await startServer(LIMIT);
  const remaining: (string | null)[] = [];
  for (let i = 0; i < 3; i++) {
    const { status, headers } = await get(server, KEYS.read);
    expect(status).toBe(200);
    expect(headers.get('ratelimit-limit')).toBe('3');
    expect(Number(headers.get('ratelimit-reset'))).toBeGreaterThan(50);
    remaining.push(headers.get('ratelimit-remaining'));
  }
  expect(remaining).toEqual(['2', '1', '0']);

  const refused = await get(server, KEYS.read);
  expect(refused.status).toBe(429);
  expect(refused.body.error?.code).toBe('RATE_LIMITED');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50);
  expect(refused.headers.get('ratelimit-remaining')).toBe('0');

  expect((await get(server, KEYS.write)).status).toBe(200);
  await server.stop();
});

test('reports the quota under the names of the current draft as well', async () => {
  const server = await startServer({ env: { RATE_LIMIT: '100/10s' } });
  await get(server, KEYS.read);
  const { headers } = await get(server, KEYS.read);
  expect(headers.get('ratelimit-policy')).toBe('"default";q=100;w=10');
  expect(headers.get('ratelimit')).toMatch(/^"default";r=98;t=(?:[1-9]|10)$/);
  expect(headers.get('ratelimit-remaining')).toBe('98');
  await server.stop();
});

test('charges a GraphQL operation by its cost, and refuses it as a whole', async () => {
  const server = await startServer({ env: { RATE_LIMIT: '20/min' } });
  const operation = (first: number) => ({
    body: {
      query: `{ conversations(first: ${first}) { edges { node { id status goal visitorId startedAt } } } }`,
    },
  });
  const page = await send(server, 'POST', '/graphql', operation(50));
  expect(page.status).toBe(200);
  const left = Number(page.headers.get('ratelimit-remaining'));
  expect(20 - left).toBeGreaterThan(1);
  expect(20 - left).toBeLessThanOrEqual(5);
  const small = await send(server, 'POST', '/graphql', { body: { query: '{ viewer { scope } }' } });
  expect(Number(small.headers.get('ratelimit-remaining'))).toBe(left - 1);

  const statuses = new Set<number>();
  for (let i = 0; i < 10; i++) {
    const answer = await send(server, 'POST', '/graphql', operation(100));
    statuses.add(answer.status);
    expect(answer.headers.get('ratelimit-limit')).toBe('20');
    if (answer.status === 200) continue;
    expect(answer.body.errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }]);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect([...statuses]).toEqual([200, 429]);
  await server.stop();
});

test('counts requests that fail after authentication, including GraphQL', async () => {
  const server = await startServer(LIMIT);
  await send(server, 'POST', '/v1/events', { body: { nope: 1 } });
  await send(server, 'POST', '/graphql', { body: { query: '{' } });
  const { headers } = await get(server, KEYS.write, '/api/v1/customers/77/webhook-endpoints');
  expect(headers.get('ratelimit-remaining')).toBe('0');
  const refused = await send(server, 'POST', '/graphql', { body: { query: '{ viewer { scope } }' } });
  expect(refused.status).toBe(429);
  expect(refused.text).toContain('"errors":[');
  await server.stop();
});

/** Fails as often as an address may. */
async function fail(server: { url: string }, headers: Record<string, string> = {}): Promise<void> {
  for (let i = 0; i < 300; i++) {
    const key = i % 2 ? guess(i) : 'malformed';
    expect((await send(server, 'GET', '/api/v1/event-types', { key, headers })).status).toBe(401);
  }
}

test('rejects an address that fails to authenticate too often, except with a valid key', async () => {
  const server = await startServer(GENEROUS_LIMIT);
  await fail(server);
  for (const key of [guess(300), 'malformed']) {
    const refused = await get(server, key);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  for (const key of Object.values(KEYS)) expect((await get(server, key)).status).toBe(200);
  await server.stop();
});

describe('authentication failures behind a proxy', () => {
  const statusFor = async (server: { url: string }, headers: Record<string, string>) =>
    (await send(server, 'GET', '/api/v1/event-types', { key: guess(300), headers })).status;

  test('count for the client that a trusted proxy names', async () => {
    const server = await startServer({ env: { ...GENEROUS_LIMIT.env, TRUSTED_PROXIES: '127.0.0.1' } });
    await fail(server, { 'x-forwarded-for': '198.51.100.7' });
    expect(await statusFor(server, { 'x-forwarded-for': '198.51.100.7' })).toBe(429);
    // Left of what the proxy appends is what the client itself sent.
    expect(await statusFor(server, { 'x-forwarded-for': '203.0.113.1, 198.51.100.7' })).toBe(429);
    expect(await statusFor(server, { forwarded: 'for="198.51.100.7:4711";proto=https' })).toBe(429);
    expect(await statusFor(server, { 'x-forwarded-for': '198.51.100.8' })).toBe(401);
    expect(await statusFor(server, {})).toBe(401);
    await server.stop();
  });

  test('count for the peer if it is not trusted, whatever its headers', async () => {
    const server = await startServer(GENEROUS_LIMIT);
    await fail(server, { 'x-forwarded-for': '198.51.100.7' });
    expect(await statusFor(server, { 'x-forwarded-for': '198.51.100.8' })).toBe(429);
    expect(await statusFor(server, { forwarded: 'for=198.51.100.9' })).toBe(429);
    await server.stop();
  });
});

test('does not count requests without a key as failed attempts', async () => {
  const server = await startServer(GENEROUS_LIMIT);
  for (let i = 0; i < 301; i++) await send(server, 'GET', '/api/v1/event-types', { key: null });
  expect((await get(server, KEYS.read)).status).toBe(200);
  await server.stop();
});

test('RATE_LIMIT=off removes both limits and their headers', async () => {
  const server = await startServer({ env: { RATE_LIMIT: 'off' } });
  for (let i = 0; i < 301; i++) expect((await get(server, guess(i))).status).toBe(401);
  const { status, headers } = await get(server, KEYS.read);
  expect(status).toBe(200);
  expect(headers.get('ratelimit-limit')).toBeNull();
  await server.stop();
});
