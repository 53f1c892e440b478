import { expect, test } from 'vitest';
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

test('an address that fails to authenticate too often is refused without a look-up, but for keys known to be good', async () => {
  const server = await startServer({ rateLimit: { requests: 1_000_000, windowMs: 60_000 } });
  expect((await get(server, KEYS.read)).status).toBe(200);
  for (let i = 0; i < 300; i++) expect((await get(server, `eg_r_guess${i}`)).status).toBe(401);

  const before = server.lookups.length;
  const refused = await get(server, 'eg_r_another');
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(server.lookups).toHaveLength(before);

  expect((await get(server, KEYS.read)).status).toBe(200);
  await server.close();
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
