import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { type Item, matches, populate } from './population.ts';
import { recordQueries } from './queries.ts';

let app: TestApp;
let tenant: TestTenant;
let all: Item[];
beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
  all = await populate(app, tenant, 200);
  // Another tenant's: an index that does not begin with the tenant would read many of them.
  await populate(app, await app.newTenant(), 100);
});
afterAll(() => app.stop());

const since = () => new Date(all[120]?.started_at ?? '');

/** Every filter, every pair of filters, and all of them. */
const FILTERS = ['converted', 'status', 'since'] as const;
const SETS = Array.from({ length: 2 ** FILTERS.length }, (_, bits) =>
  FILTERS.filter((_filter, bit) => bits & (1 << bit)),
);

/** For each value that is asked for: what is there is found, and what is rare or not there is not searched for. */
const values = (names: readonly string[]) =>
  (names.includes('converted') ? [true, false] : [undefined]).flatMap((converted) =>
    (names.includes('status') ? ['active', 'closed', 'converted'] : [undefined]).map((status) => ({
      ...(converted !== undefined && { converted }),
      ...(status !== undefined && { status }),
      ...(names.includes('since') && { since: since() }),
    })),
  );

describe.each(SETS.map((set) => [set.join(' and ') || 'nothing', set] as const))(
  'filtered by %s',
  (_name, set) => {
    const answers = (filter: object) => all.filter((item) => matches(item, filter));

    test('the REST list reads as many keys as rows, on the first page and on later ones', async () => {
      const queries = await recordQueries(app, 'conversations');
      let pages = 0;
      for (const { since: from, ...filter } of values(set)) {
        const query = new URLSearchParams({
          limit: '15',
          ...Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, String(value)])),
          ...(from && { since: from.toISOString() }),
        });
        const rows = answers({ ...filter, since: from });
        for (const after of [null, rows[4]?.id]) {
          if (after === undefined) continue;
          if (after) query.set('starting_after', after);
          const { body } = await app.request('GET', `/v1/conversations?${query}`, { key: tenant.read });
          const expected = after ? rows.slice(5, 20) : rows.slice(0, 15);
          expect((body.data as unknown as Item[]).map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
          pages += 1;
        }
      }
      // Beside the pages there is the look-up of the conversation to go on after, by its id.
      const lists = (await queries.stop()).filter(({ indexes }) => !indexes.includes('_id_'));
      expect(lists).toHaveLength(pages);
      for (const { keysExamined, docsExamined, returned, indexes, sorts } of lists) {
        expect(indexes).toHaveLength(1);
        expect(indexes[0]).toMatch(/^customerId_1_.*order_-1$/);
        expect(keysExamined).toBeLessThanOrEqual(1.1 * returned + 2);
        expect(docsExamined).toBe(returned);
        expect(sorts).toBe(false);
      }
    });

    test('the GraphQL list reads as many keys as rows, on the first page and on later ones', async () => {
      const list = `query($first: Int, $after: String, $converted: Boolean, $status: ConversationStatus, $since: DateTime) {
      conversations(first: $first, after: $after, converted: $converted, status: $status, since: $since) {
        edges { cursor node { id } } } }`;
      const queries = await recordQueries(app, 'conversations');
      for (const filter of values(set)) {
        const rows = answers(filter);
        let after: string | undefined;
        for (const from of [0, 15]) {
          const { body } = await app.graphql(list, { ...filter, first: 15, after }, tenant.read);
          const { edges } = (
            body.data as unknown as { conversations: { edges: { cursor: string; node: { id: string } }[] } }
          ).conversations;
          expect(edges.map(({ node }) => node.id)).toEqual(rows.slice(from, from + 15).map(({ id }) => id));
          after = edges.at(-1)?.cursor;
          if (edges.length < 15) break;
        }
      }
      for (const { keysExamined, docsExamined, returned, indexes, sorts } of await queries.stop()) {
        expect(indexes).toHaveLength(1);
        expect(keysExamined).toBeLessThanOrEqual(1.1 * returned + 2);
        expect(docsExamined).toBe(returned);
        expect(sorts).toBe(false);
      }
    });
  },
);
