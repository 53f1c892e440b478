import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { fathomAdapter } from '../../src/features/meetings/provider/adapters/fathom.ts';
import type { Continuation, PageRequest } from '../../src/features/meetings/provider/provider.types.ts';
import { eventually } from '../support/eventually.ts';
import { type Behaviour, fathomApi, startProvider, type TestProviderOptions } from '../support/provider.ts';
import { allPages, CIPHER, firstPage, newClient, newKey, pacingDatabase, SINCE } from './provider-support.ts';

let database: Awaited<ReturnType<typeof pacingDatabase>>;
beforeAll(async () => {
  database = await pacingDatabase();
});
afterAll(() => database.stop());

/** A provider, and two clients with connections of their own, as two processes have. */
async function stage(options: TestProviderOptions = {}, adapter?: typeof fathomAdapter) {
  const provider = await startProvider(options);
  onTestFinished(() => provider.stop());
  const client = () => newClient({ baseUrl: provider.url, database, adapter });
  return { provider, one: client(), other: client() };
}

const withHeaders = (headers: Record<string, string>): Behaviour => ({
  status: 200,
  headers,
  body: '{"meetings":[]}',
});

/** Milliseconds from the first request to the last. */
const elapsedMs = (requests: { at: number }[]): number => (requests.at(-1)?.at ?? 0) - (requests[0]?.at ?? 0);

describe('a key that the provider limits', () => {
  test.each<[string, Record<string, string>]>([
    ['RateLimit-Remaining and RateLimit-Reset', { 'RateLimit-Remaining': '0', 'RateLimit-Reset': '1' }],
    ['RateLimit', { RateLimit: '"default";r=0;t=1' }],
    ['Retry-After', { 'Retry-After': '1' }],
  ])('waits in every process for the time in %s', async (_header, headers) => {
    const { provider, one, other } = await stage();
    const key = newKey();
    provider.script(withHeaders(headers));
    await firstPage(one, key);
    await firstPage(other, key);
    expect(provider.requests).toHaveLength(2);
    // The database's clock counts whole milliseconds.
    expect(elapsedMs(provider.requests)).toBeGreaterThanOrEqual(999);
  });

  test('does not delay another key', async () => {
    const { provider, one, other } = await stage();
    const key = newKey();
    provider.script(withHeaders({ 'RateLimit-Remaining': '0', 'RateLimit-Reset': '600' }));
    await firstPage(one, key);
    await firstPage(other, newKey());
    expect(provider.requests).toHaveLength(2);
  });

  test('is held back by the Retry-After that another process received', async () => {
    const { provider, one, other } = await stage();
    const key = newKey();
    provider.script({ status: 429, headers: { 'retry-after': '1' } });
    const refused = one.checkKey(key);
    await provider.waitFor(1);
    const _id = `${CIPHER.digest(key, 'pacing')}:all`;
    await eventually(() => database.models.ProviderPacing.exists({ _id, notBefore: { $exists: true } }));
    await Promise.all([refused, firstPage(other, key)]);
    const [first, second] = provider.requests;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(950);
  });

  test('does not delay the endpoints of another class', async () => {
    const { provider, one } = await stage({ count: 1, api: fathomApi() }, fathomAdapter);
    const key = newKey();
    provider.script(withHeaders({ 'RateLimit-Remaining': '0', 'RateLimit-Reset': '600' }));
    await one.checkKey(key);
    await firstPage(one, key);
    expect(provider.requests.map(({ path }) => path)).toEqual([
      '/external/v1/teams',
      '/external/v1/meetings',
    ]);
  });

  test('lists without one refusal after the provider has lowered the limit', async () => {
    const limits = { light: 60, heavy: 5, windowMs: 2_000 };
    const { provider, one, other } = await stage({ count: 60, api: fathomApi({ limits }) }, fathomAdapter);
    const key = newKey();
    let refusals = 0;
    const onRateLimited = () => {
      refusals += 1;
    };
    let after: Continuation | null = null;
    // Both clients read each page in turn: a request that starts before the previous response has arrived, which only a
    // response slower than the pacing permits, cannot heed its headers.
    do {
      const range: PageRequest = { since: SINCE, after };
      await one.meetings(key, range, { onRateLimited });
      after = (await other.meetings(key, range, { onRateLimited })).next;
    } while (after);
    expect(provider.requests).toHaveLength(12);
    expect(refusals).toBe(0);
  });
});

test('an endpoint class with half the limit has twice the interval', async () => {
  const provider = await startProvider({ count: 30, api: fathomApi() });
  onTestFinished(() => provider.stop());
  const client = newClient({ baseUrl: provider.url, database, adapter: fathomAdapter, pacingMs: 200 });
  expect(await allPages(client)).toHaveLength(3);
  expect(elapsedMs(provider.requests)).toBeGreaterThanOrEqual(2 * 400 - 100);
});
