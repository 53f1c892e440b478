import ipaddr from 'ipaddr.js';
import { describe, expect, test } from 'vitest';
import { KEYS, send, startServer } from './support.ts';

const LIMIT = { requests: 3, windowMs: 60_000 };
const get = (server: { url: string }, key: string, path = '/api/v1/event-types') =>
  send(server, 'GET', path, { key });

test('each key has its requests counted, is told where it stands, and is refused past its limit', async () => {
  const server = await startServer({ rateLimit: LIMIT });
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
  await server.close();
});

test('requests that fail later than at the key count, GraphQL included', async () => {
  const server = await startServer({ rateLimit: LIMIT });
  await send(server, 'POST', '/v1/events', { body: { nope: 1 } });
  await send(server, 'POST', '/graphql', { body: { query: '{' } });
  const { headers } = await get(server, KEYS.write, '/api/v1/customers/77/webhook-endpoints');
  expect(headers.get('ratelimit-remaining')).toBe('0');
  const refused = await send(server, 'POST', '/graphql', { body: { query: '{ viewer { scope } }' } });
  expect(refused.status).toBe(429);
  expect(refused.text).toContain('"errors":[');
  await server.close();
});

const GENEROUS = { requests: 1_000_000, windowMs: 60_000 };

/** Fails as often as an address may. */
async function fail(server: { url: string }, headers: Record<string, string> = {}): Promise<void> {
  const path = '/api/v1/event-types';
  for (let i = 0; i < 300; i++)
    expect((await send(server, 'GET', path, { key: `eg_r_guess${i}`, headers })).status).toBe(401);
}

test('an address that fails to authenticate too often is refused, but no valid key of it', async () => {
  const server = await startServer({ rateLimit: GENEROUS });
  await fail(server);
  const refused = await get(server, 'eg_r_another');
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(refused.headers.get('www-authenticate')).toBeNull();
  for (const key of Object.values(KEYS)) expect((await get(server, key)).status).toBe(200);
  await server.close();
});

test('past the limit the look-ups are throttled', async () => {
  const server = await startServer({ rateLimit: GENEROUS });
  await fail(server);
  expect(server.throttled).toEqual([]);
  await get(server, 'eg_r_another');
  expect(server.throttled).toEqual(['Bearer eg_r_another']);
  await server.close();
});

describe('failures behind a proxy', () => {
  const path = '/api/v1/event-types';
  const statusFor = async (server: { url: string }, headers: Record<string, string>) =>
    (await send(server, 'GET', path, { key: 'eg_r_another', headers })).status;

  test('count for the client that a trusted proxy names', async () => {
    const server = await startServer({
      rateLimit: GENEROUS,
      trustedProxies: [[ipaddr.parse('127.0.0.1'), 32]],
    });
    await fail(server, { 'x-forwarded-for': '198.51.100.7' });
    expect(await statusFor(server, { 'x-forwarded-for': '198.51.100.7' })).toBe(429);
    // What the client itself writes into the header is left of what the proxy appends.
    expect(await statusFor(server, { 'x-forwarded-for': '203.0.113.1, 198.51.100.7' })).toBe(429);
    expect(await statusFor(server, { forwarded: 'for="198.51.100.7:4711";proto=https' })).toBe(429);
    expect(await statusFor(server, { 'x-forwarded-for': '198.51.100.8' })).toBe(401);
    expect(await statusFor(server, {})).toBe(401);
    await server.close();
  });

  test('count for the peer if it is not trusted, whatever the headers name', async () => {
    const server = await startServer({ rateLimit: GENEROUS });
    await fail(server, { 'x-forwarded-for': '198.51.100.7' });
    expect(await statusFor(server, { 'x-forwarded-for': '198.51.100.8' })).toBe(429);
    expect(await statusFor(server, { forwarded: 'for=198.51.100.9' })).toBe(429);
    await server.close();
  });
});

test('requests without any key are no failed attempts', async () => {
  const server = await startServer({ rateLimit: { requests: 1_000_000, windowMs: 60_000 } });
  for (let i = 0; i < 301; i++) await send(server, 'GET', '/api/v1/event-types', { key: null });
  expect((await get(server, KEYS.read)).status).toBe(200);
  await server.close();
});

test('RATE_LIMIT=off lifts both limits, and the headers with them', async () => {
  const server = await startServer({ rateLimit: null });
  for (let i = 0; i < 301; i++) expect((await get(server, `eg_r_guess${i}`)).status).toBe(401);
  const { status, headers } = await get(server, KEYS.read);
  expect(status).toBe(200);
  expect(headers.get('ratelimit-limit')).toBeNull();
  await server.close();
});
