import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { type Filter, type Item, matches, numbers, populate } from './population.ts';
import { STATUSES, startConversation } from './support.ts';

let app: TestApp;
let tenant: TestTenant;
let all: Item[];
beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
  all = await populate(app, tenant, 200);
  await populate(app, await app.newTenant(), 20);
});
afterAll(() => app.stop());

interface Page {
  data: Item[];
  has_more: boolean;
}

const get = (query: Record<string, string>) =>
  app.request('GET', `/v1/conversations?${new URLSearchParams(query)}`, { key: tenant.read });

async function page(query: Record<string, string>): Promise<Page> {
  const { status, body } = await get(query);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body as unknown as Page;
}

/** A list from its start to its end, and how many pages that took. */
async function walk(query: Record<string, string>, limit: number): Promise<{ items: Item[]; pages: number }> {
  const items: Item[] = [];
  for (let pages = 1; ; pages += 1) {
    const last = items.at(-1);
    const { data, has_more } = await page({
      ...query,
      limit: String(limit),
      ...(last && { starting_after: last.id }),
    });
    items.push(...data);
    if (!has_more) return { items, pages };
    expect(data).toHaveLength(limit);
  }
}

const seconds = (at: Date) => new Date(Math.floor(at.getTime() / 1000) * 1000);

/** Every filter alone, every pair, and all three; `since` in both spellings, and before everything. */
function* filters(): Generator<{ filter: Filter; query: Record<string, string> }> {
  const midway = new Date(all[100]?.started_at ?? '');
  const times: [Date | undefined, string][] = [
    [undefined, ''],
    [midway, midway.toISOString()],
    [seconds(midway), String(Math.floor(midway.getTime() / 1000))],
    [new Date('1969-12-01T00:00:00Z'), '1969-12-01T00:00:00Z'],
    [new Date('2999-01-01T00:00:00Z'), '2999-01-01T01:00:00+01:00'],
  ];
  for (const converted of [undefined, true, false])
    for (const status of [undefined, ...STATUSES])
      for (const [since, text] of times)
        yield {
          filter: { converted, status, since },
          query: {
            ...(converted !== undefined && { converted: String(converted) }),
            ...(status && { status }),
            ...(since && { since: text }),
          },
        };
}

test('matches a plain filter for every filter, pair of filters and all three', async () => {
  expect(all.filter(({ started_at }) => started_at < '1970')).toHaveLength(5);
  const next = numbers(7);
  for (const { filter, query } of filters()) {
    const { items } = await walk(query, 1 + next(60));
    expect(items, JSON.stringify(query)).toEqual(all.filter((item) => matches(item, filter)));
  }
});

test('returns 20 rows by default, accepts 1 to 100, and reports whether more follow', async () => {
  expect(await page({})).toEqual({ data: all.slice(0, 20), has_more: true });
  expect(await page({ limit: '1' })).toEqual({ data: all.slice(0, 1), has_more: true });
  expect(await page({ limit: '100' })).toEqual({ data: all.slice(0, 100), has_more: true });
  expect((await walk({}, 100)).pages).toBe(2);
  expect(await page({ limit: '100', starting_after: all[99]?.id ?? '' })).toEqual({
    data: all.slice(100),
    has_more: false,
  });
  expect(await page({ starting_after: all.at(-1)?.id ?? '' })).toEqual({ data: [], has_more: false });
});

test('continues after a conversation that the filter excludes', async () => {
  const at = all.findIndex(({ status }) => status === 'closed');
  const rest = all.slice(at + 1).filter(({ status }) => status === 'active');
  expect((await page({ status: 'active', limit: '100', starting_after: all[at]?.id ?? '' })).data).toEqual(
    rest,
  );
});

test('is stable while conversations start, end and convert between pages', async () => {
  const own = await app.newTenant();
  const before = await populate(app, own, 40);
  const key = own.read;
  const seen: string[] = [];
  let hasMore = true;
  for (let round = 0; hasMore; round += 1) {
    const after = seen.at(-1);
    const path = `/v1/conversations?limit=7${after ? `&starting_after=${after}` : ''}`;
    const { data, has_more } = (await app.request('GET', path, { key })).body as unknown as Page;
    seen.push(...data.map(({ id }) => id));
    hasMore = has_more;
    await startConversation(app, own, { visitorId: `late_${round}` }, STATUSES[round % 5]);
    await startConversation(app, own, { visitorId: `later_${round}` });
  }
  expect(seen).toEqual(before.map(({ id }) => id));
});

describe('rejects', () => {
  test.each([
    ['limit', '0'],
    ['limit', '101'],
    ['limit', '-1'],
    ['limit', '1.5'],
    ['limit', 'ten'],
    ['limit', ''],
    ['limit', '99999999999'],
    ['converted', 'banana'],
    ['converted', '1'],
    ['converted', 'TRUE'],
    ['converted', ''],
    ['status', 'gone'],
    ['status', 'ACTIVE'],
    ['status', ''],
    ['since', 'yesterday'],
    ['since', '2026-02-30T00:00:00Z'],
    ['since', '-1'],
    ['since', '1e9'],
    ['since', '123456789012'],
    ['since', ''],
    ['cursor', 'x'],
    ['page', '2'],
  ])('%s=%s, by name', async (name, value) => {
    const { status, body } = await get({ [name]: value });
    expect(status).toBe(422);
    expect(body.error).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ path: name }] });
  });

  test('a repeated parameter', async () => {
    const path = '/v1/conversations?status=active&status=closed';
    expect(await app.request('GET', path, { key: tenant.read })).toMatchObject({
      status: 422,
      body: { error: { details: [{ path: 'status' }] } },
    });
  });

  test('an unknown or foreign cursor with 404', async () => {
    const foreign = await startConversation(app, await app.newTenant());
    for (const id of [
      foreign.id,
      '0123456789abcdef01234567',
      'garbage',
      '',
      (all[0]?.id ?? '').toUpperCase(),
    ])
      expect(await get({ starting_after: id })).toMatchObject({
        status: 404,
        body: { error: { code: 'NOT_FOUND', message: 'The conversation does not exist.' } },
      });
  });
});
