import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newApiKey } from '../../src/features/tenants/api-key.ts';
import { LIMITS } from '../../src/limits/limits.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { startProfile } from '../support/profile.ts';
import { recordedEvents } from '../support/recorded-events.ts';
import { appOfTest } from '../support/test-scoped.ts';

const PATH = '/api/v1/event-types';
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('the rate limit of a key', () => {
  const LIMIT = 6;
  const PERIOD_SECONDS = 20;
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp({ RATE_LIMIT: `${LIMIT}/${PERIOD_SECONDS}s` });
  });
  afterAll(() => app.stop());

  test('is part of every response, and above it every surface returns 429 until the period ends', async () => {
    // A tenant per try: the quota of a failed try may be used up.
    const { read: key, write } = await app.newTenant();
    const remaining: (string | null)[] = [];
    for (let i = 0; i < LIMIT; i += 1) {
      const { status, headers } =
        i % 2
          ? await app.graphql('{ viewer { scope } }', {}, key)
          : await app.request('GET', i === 2 ? `${PATH}?unknown=1` : PATH, { key });
      expect(status).toBe(i === 2 ? 422 : 200);
      expect(headers.get('ratelimit-limit')).toBe(String(LIMIT));
      expect(Number(headers.get('ratelimit-reset'))).toBeLessThanOrEqual(PERIOD_SECONDS);
      remaining.push(headers.get('ratelimit-remaining'));
    }
    expect(remaining).toEqual(['5', '4', '3', '2', '1', '0']);

    const refused = await app.request('GET', PATH, { key });
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'RATE_LIMITED' } } });
    expect(refused.headers.get('ratelimit-remaining')).toBe('0');
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(PERIOD_SECONDS);
    const graphql = await app.graphql('{ viewer { scope } }', {}, key);
    expect(graphql).toMatchObject({
      status: 429,
      body: { errors: [{ extensions: { code: 'RATE_LIMITED' } }] },
    });
    expect(graphql.headers.get('retry-after')).not.toBeNull();

    expect((await app.request('GET', PATH, { key: write })).status).toBe(200);
    await sleep(seconds * 1_000);
    expect((await app.request('GET', PATH, { key })).status).toBe(200);
  });

  test('prevents any change by a rejected request', async () => {
    const { customerId, write: key } = await app.newTenant();
    const body = { type: 'signup', visitor_id: 'v_1' };
    const answers = await Promise.all(
      Array.from({ length: LIMIT + 4 }, () => app.request('POST', '/v1/events', { key, body })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(LIMIT);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(4);
    expect((await recordedEvents(app.models, { customerId })).count).toBe(LIMIT);
  });
});

describe('failed authentication', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp({ RATE_LIMIT: '100000/min' });
  });
  afterAll(() => app.stop());

  const status = async (key: string, of = app) => (await of.request('GET', PATH, { key })).status;

  /** Fails until the address is over its limit; returns the number of 401 responses. */
  async function exceedLimit(of = app): Promise<number> {
    let failures = 0;
    while ((await status(failures % 2 ? newApiKey('read') : 'nonsense', of)) === 401) {
      failures += 1;
      expect(failures).toBeLessThan(2_000);
    }
    return failures;
  }

  test('is limited by address, for unknown and malformed keys alike', async () => {
    expect(await exceedLimit()).toBeGreaterThanOrEqual(10);
    for (const key of [newApiKey('read'), 'nonsense']) {
      const refused = await app.request('GET', PATH, { key });
      expect(refused).toMatchObject({ status: 429, body: { error: { code: 'RATE_LIMITED' } } });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });

  test('of other clients does not affect a valid key, used before or not', async () => {
    const tenant = await app.newTenant();
    expect(await status(tenant.read)).toBe(200);
    await exceedLimit();
    expect(await status(tenant.read)).toBe(200);
    const unseen = await app.newTenant();
    expect(await status(unseen.read)).toBe(200);
    const body = { type: 'signup', visitor_id: 'v_1' };
    expect((await app.request('POST', '/v1/events', { key: unseen.write, body })).status).toBe(201);
    expect((await app.graphql('{ viewer { scope } }', {}, app.admin)).status).toBe(200);
  });

  test('counts clients that the networks of a key or a suspension refuse, and leaves its quota', async () => {
    const refusing = await startApp({ RATE_LIMIT: '100000/min' });
    try {
      const { customerId, read } = await refusing.newTenant();
      const send = async (key: string) => (await refusing.request('GET', PATH, { key })).status;
      const refusals = async (key: string) => {
        let count = 0;
        while ((await send(key)) === 403) count += 1;
        return count;
      };
      const input = { scope: 'read', customerId, networks: ['192.0.2.0/24'] } as const;
      const { key } = await refusing.services.keys.create(input);
      expect(await refusals(key)).toBe(LIMITS.failedAuthentications.default);
      expect(await send(key)).toBe(429);
      await refusing.services.tenants.suspend(customerId);
      expect(await send(read)).toBe(429);
      await refusing.services.tenants.resume(customerId);
      expect(await send(read)).toBe(200);
      expect(await refusing.models.QuotaWindow.countDocuments()).toBe(1);
    } finally {
      await refusing.stop();
    }
  });

  test('above the limit costs few queries, however many unknown keys are tried', async () => {
    // Its window of a minute begins with this test.
    const limited = await appOfTest({ RATE_LIMIT: '100000/min' });
    await exceedLimit(limited);
    const profile = await startProfile(limited.models.ApiKey.db.db);
    const started = performance.now();
    const statuses = new Set<number>();
    const guess = async () => {
      for (let i = 0; i < 10; i += 1) {
        statuses.add(await status(newApiKey('read'), limited));
        statuses.add(await status('nonsense', limited));
      }
    };
    await Promise.all(Array.from({ length: 40 }, guess));
    const elapsedMs = performance.now() - started;
    const commands = await profile.end();
    expect([...statuses]).toEqual([429]);
    const queries = await commands.countDocuments({
      ns: `${commands.dbName}.apiKeys`,
      op: 'query',
      'command.filter.hash': { $exists: true },
    });
    expect(queries).toBeGreaterThan(0);
    expect(queries).toBeLessThanOrEqual(elapsedMs / 100 + 2);
  });
});

describe('RATE_LIMIT=off', () => {
  test('disables both limits', async () => {
    const app = await startApp({ RATE_LIMIT: 'off' });
    const { read } = await app.newTenant();
    const { headers } = await app.request('GET', PATH, { key: read });
    expect(headers.get('ratelimit-limit')).toBeNull();
    const statuses = new Set<number>();
    for (let i = 0; i < 400; i += 1)
      statuses.add((await app.request('GET', PATH, { key: 'nonsense' })).status);
    expect([...statuses]).toEqual([401]);
    await app.stop();
  });
});
