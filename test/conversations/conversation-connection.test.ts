import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { type Item, matches, populate } from './population.ts';
import { STATUSES, startConversation } from './support.ts';

let app: TestApp;
let tenant: TestTenant;
let all: Item[];
beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
  all = await populate(app, tenant, 60);
});
afterAll(() => app.stop());

const LIST = `query($first: Int, $after: String, $converted: Boolean, $status: ConversationStatus, $since: DateTime) {
  conversations(first: $first, after: $after, converted: $converted, status: $status, since: $since) {
    edges { cursor node { id } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  } }`;

interface Connection {
  edges: { cursor: string; node: { id: string } }[];
  pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor: string | null;
    endCursor: string | null;
  };
}

const ask = (variables: Record<string, unknown>, key = tenant.read) => app.graphql(LIST, variables, key);

async function page(variables: Record<string, unknown>, key = tenant.read): Promise<Connection> {
  const { body } = await ask(variables, key);
  return (body.data as unknown as { conversations: Connection }).conversations;
}

async function walk(variables: Record<string, unknown>): Promise<string[]> {
  const ids: string[] = [];
  let after: string | null = null;
  for (;;) {
    const { edges, pageInfo }: Connection = await page({ ...variables, after });
    ids.push(...edges.map(({ node }) => node.id));
    expect(pageInfo).toEqual({
      hasNextPage: pageInfo.hasNextPage,
      hasPreviousPage: after !== null,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    });
    if (!pageInfo.hasNextPage) return ids;
    after = pageInfo.endCursor;
  }
}

test('matches a plain filter for every filter and combination of filters', async () => {
  const since = all[30]?.started_at ?? '';
  for (const converted of [null, true, false])
    for (const status of [null, ...STATUSES])
      for (const from of [null, since]) {
        const filter = {
          ...(converted !== null && { converted }),
          ...(status && { status }),
          ...(from && { since: new Date(from) }),
        };
        const ids = all.filter((item) => matches(item, filter)).map(({ id }) => id);
        expect(await walk({ first: 8, converted, status, since: from })).toEqual(ids);
      }
});

test('returns pages of 50 by default', async () => {
  expect((await page({})).edges).toHaveLength(50);
  expect((await page({ first: 100 })).edges).toHaveLength(60);
});

test('is stable while conversations start between pages', async () => {
  const own = await app.newTenant();
  const before = await populate(app, own, 20);
  const seen: string[] = [];
  let after: string | null = null;
  do {
    const { edges, pageInfo }: Connection = await page({ first: 6, after }, own.read);
    seen.push(...edges.map(({ node }) => node.id));
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    await startConversation(app, own);
  } while (after !== null);
  expect(seen).toEqual(before.map(({ id }) => id));
});

describe('rejects', () => {
  const [since, later] = ['2000-01-01T00:00:00Z', '2000-01-01T00:00:01Z'];

  test.each([
    ['without its filter', { status: 'active' }, {}],
    ['with another value of its filter', { status: 'active' }, { status: 'closed' }],
    ['with one more filter', {}, { converted: false }],
    ['with another filter', { converted: false }, { since }],
    ['with another time', { since }, { since: later }],
  ])('a cursor %s', async (_name, given, asked) => {
    const after = (await page(given)).edges[0]?.cursor;
    expect(after).toEqual(expect.any(String));
    expect((await page({ ...given, after })).edges.length).toBeGreaterThan(0);
    expect((await ask({ ...asked, after })).body).toMatchObject({
      errors: [{ extensions: { code: 'VALIDATION_FAILED', details: [{ path: 'after' }] } }],
    });
  });

  test('cursors of another tenant or list, and malformed ones', async () => {
    const other = await app.newTenant();
    await startConversation(app, other);
    const [foreign] = (await page({}, other.read)).edges;
    const forged = Buffer.from(JSON.stringify([{ $gt: '' }, 'conversations'])).toString('base64url');
    for (const after of [foreign?.cursor, all[0]?.id, 'garbage', '', '🦄', forged, 'x'.repeat(501)])
      expect((await ask({ after })).body).toMatchObject({
        errors: [{ extensions: { code: 'VALIDATION_FAILED', details: [{ path: 'after' }] } }],
      });
  });

  test.each([
    ['first', 0],
    ['first', 101],
    ['first', -1],
    ['first', '10'],
    ['status', 'gone'],
    ['status', 'ACTIVE'],
    ['converted', 'yes'],
    ['since', 'yesterday'],
    ['since', 1_700_000_000],
  ])('%s: %j, by name', async (name, value) => {
    const { body } = await ask({ [name]: value });
    expect(body).toMatchObject({
      errors: [{ extensions: { code: 'VALIDATION_FAILED', details: [{ path: name }] } }],
    });
  });
});
