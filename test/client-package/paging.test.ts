import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { EngagementClient, ListPromise } from '../../packages/client/src/index.ts';
import { populate } from '../conversations/population.ts';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { createEndpoint } from '../webhooks/support.ts';
import { clientOf, startProxy } from './support.ts';

const ENDPOINTS = 7;
const CONVERSATIONS = 25;

let app: TestApp;
let tenant: TestTenant;
let client: EngagementClient;
beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
  client = clientOf(app, tenant);
  for (let number = 1; number <= ENDPOINTS; number += 1)
    await createEndpoint(app, tenant, { url: `http://127.0.0.1:9/${number}` });
  await populate(app, tenant, CONVERSATIONS);
});
afterAll(() => app.stop());

type List = (limit: number, by?: EngagementClient) => ListPromise<{ id: unknown }>;

/** A list of each style of paging, with the number of its items. */
const LISTS: [string, number, List][] = [
  ['cursor', ENDPOINTS, (limit, by = client) => by.webhookEndpoints.list({ limit })],
  ['starting_after', CONVERSATIONS, (limit, by = client) => by.preview.conversations.list({ limit })],
];

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe.each(LISTS)('a list that continues by %s', (_, total, list) => {
  test('yields every item once, in order, whatever the size of its pages', async () => {
    const whole = await list(100);
    expect(whole.data).toHaveLength(total);
    expect(whole.hasMore).toBe(false);
    expect(whole.nextPage()).toBeNull();
    for (const limit of [1, 3, total - 1, total]) expect(await collected(list(limit))).toEqual(whole.data);
  });

  test('returns one page at a time', async () => {
    const first = await list(3);
    expect(first.data).toHaveLength(3);
    expect(first.hasMore).toBe(true);
    const second = await first.nextPage();
    expect(second?.data).toHaveLength(3);
    expect(second?.data).not.toEqual(first.data);
  });

  test('yields its pages', async () => {
    const sizes = (await collected(list(3).pages())).map(({ data }) => data.length);
    expect(sizes).toHaveLength(Math.ceil(total / 3));
    expect(sizes.reduce((sum, size) => sum + size)).toBe(total);
    expect(Math.max(...sizes)).toBe(3);
  });

  test('yields from a page on', async () => {
    const whole = await list(100);
    const second = await (await list(3)).nextPage();
    expect(second ? await collected(second) : null).toEqual(whole.data.slice(3));
  });

  test('requests a page only when the loop reaches it', async () => {
    const proxy = await startProxy(app.url);
    let seen = 0;
    for await (const _item of list(3, clientOf(proxy, tenant))) {
      seen += 1;
      if (seen === 4) break;
    }
    expect(proxy.requests).toHaveLength(2);
  });
});

test('the filters of a list hold for all of its pages', async () => {
  const filtered = await collected(client.preview.conversations.list({ limit: 2, converted: true }));
  const all = await collected(client.preview.conversations.list());
  expect(filtered.length).toBeGreaterThan(2);
  expect(filtered).toEqual(all.filter(({ converted }) => converted));
});

test('all pages are requested where URLSearchParams has no size', async () => {
  const size = Object.getOwnPropertyDescriptor(URLSearchParams.prototype, 'size');
  onTestFinished(() => void Object.defineProperty(URLSearchParams.prototype, 'size', size ?? {}));
  Reflect.deleteProperty(URLSearchParams.prototype, 'size');
  expect((await client.webhookEndpoints.list({ limit: 2 })).data).toHaveLength(2);
});

test('a page has the headers of its response', async () => {
  const { data, headers, requestId, status } = await client.webhookEndpoints
    .list({ limit: 2 })
    .withResponse();
  expect(data.data).toHaveLength(2);
  expect(status).toBe(200);
  expect(requestId).toBe(headers.get('x-request-id'));
});
