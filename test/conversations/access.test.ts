import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { expectProtected, expectProtectedGraphQL } from '../support/protection.ts';
import { CALLS, mutate, startConversation, timeline } from './support.ts';

let app: TestApp;
let tenant: TestTenant;
let stranger: TestTenant;
let id: string;
beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
  stranger = await app.newTenant();
  ({ id } = await startConversation(app, tenant));
});
afterAll(() => app.stop());

/** Ids that are of nothing the tenant has. */
const NOTHING = ['0123456789abcdef01234567', 'not-an-id', '1', '', '$ne', 'x'.repeat(5_000)];

test('startConversation requires a write key', async () => {
  const query = 'mutation { startConversation(input: { visitorId: "v" }) { id } }';
  await expectProtectedGraphQL(app, query, {}, [tenant.read]);
});

describe.each(Object.entries(CALLS))('%s', (_name, call) => {
  test('requires a write key', async () => {
    const query = `mutation($id: ID!) { ${call} { id } }`;
    await expectProtectedGraphQL(app, query, { id }, [tenant.read]);
    expect((await timeline(app, tenant, id)).map(({ event }) => event)).toEqual(['conversation.started']);
  });

  test('returns NOT_FOUND for a conversation of another tenant, as for an unknown one', async () => {
    const foreign = await mutate(app, stranger.write, call, { id });
    expect(foreign.code).toBe('NOT_FOUND');
    for (const nothing of NOTHING) {
      const { code, message, details } = await mutate(app, tenant.write, call, { id: nothing });
      expect({ code, message, details }).toEqual({
        code: 'NOT_FOUND',
        message: foreign.message,
        details: [],
      });
    }
    expect(await timeline(app, tenant, id)).toHaveLength(1);
  });
});

describe('reading', () => {
  const one = 'query($id: ID!) { conversation(id: $id) { id } }';
  const all = 'query { conversations { edges { node { id } } } }';

  test('a conversation and a list over GraphQL requires a key, and does not reveal other tenants', async () => {
    await expectProtectedGraphQL(app, one, { id }, []);
    await expectProtectedGraphQL(app, all, {}, []);
    expect((await app.graphql(one, { id }, tenant.read)).body).toEqual({ data: { conversation: { id } } });
    for (const unknown of [id, ...NOTHING])
      expect((await app.graphql(one, { id: unknown }, stranger.write)).body).toEqual({
        data: { conversation: null },
      });
    expect((await app.graphql(all, {}, stranger.read)).body).toEqual({
      data: { conversations: { edges: [] } },
    });
  });

  test('a conversation and a list over REST requires a key, and does not reveal other tenants', async () => {
    const path = `/v1/conversations/${id}`;
    await expectProtected(app, { method: 'GET', path, scope: 'read' }, tenant);
    await expectProtected(app, { method: 'GET', path: '/v1/conversations', scope: 'read' }, tenant);
    expect((await app.request('GET', path, { key: tenant.read })).status).toBe(200);
    const foreign = await app.request('GET', path, { key: stranger.read });
    for (const nothing of NOTHING.slice(0, -1).filter(Boolean)) {
      const unknown = await app.request('GET', `/v1/conversations/${encodeURIComponent(nothing)}`, {
        key: tenant.read,
      });
      for (const answer of [foreign, unknown]) {
        expect(answer.status).toBe(404);
        expect(answer.body.error).toEqual({
          ...foreign.body.error,
          code: 'NOT_FOUND',
          requestId: expect.any(String),
        });
      }
    }
    const { body } = await app.request('GET', '/v1/conversations', { key: stranger.read });
    expect(body).toEqual({ data: [], has_more: false });
  });

  test('requires an admin key to name a tenant, and returns the data of that tenant', async () => {
    const headers = { 'x-customer-id': String(tenant.customerId) };
    const path = `/v1/conversations/${id}`;
    expect((await app.request('GET', path, { key: app.admin, headers })).status).toBe(200);
    expect(await app.request('GET', path, { key: app.admin })).toMatchObject({
      status: 422,
      body: { error: { details: [{ path: 'X-Customer-Id' }] } },
    });
    expect((await app.graphql(one, { id }, app.admin, headers)).body).toEqual({
      data: { conversation: { id } },
    });
    const other = { 'x-customer-id': String(stranger.customerId) };
    expect((await app.request('GET', path, { key: app.admin, headers: other })).status).toBe(404);
  });
});
