import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { expectProtectedGraphQL } from '../support/protection.ts';

const FIELDS = 'id scope customerId prefix createdAt expiresAt lastUsedAt revokedAt';
const CREATE = `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key apiKey { ${FIELDS} } } }`;
const LIST = `query ($first: Int, $after: String) {
  apiKeys(first: $first, after: $after) { edges { node { ${FIELDS} } } pageInfo { hasNextPage endCursor } }
}`;
const REVOKE = `mutation ($id: ID!) { revokeApiKey(id: $id) { ${FIELDS} } }`;
const VIEWER = '{ viewer { scope } }';
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

/** Creates a key over GraphQL. */
async function create(input: Record<string, unknown>) {
  const { body } = await app.graphql(CREATE, { input }, app.admin);
  return body.data?.createApiKey as unknown as { key: string; apiKey: { id: string } };
}

const codeOf = async (query: string, variables: Record<string, unknown>) => {
  const { body } = await app.graphql(query, variables, app.admin);
  return (body.errors as unknown as { extensions: { code: string } }[])?.[0]?.extensions.code;
};

describe('creating an API key', () => {
  test('requires authentication', async () => {
    const { customerId, read, write } = await app.newTenant();
    const before = await app.models.ApiKey.countDocuments();
    await expectProtectedGraphQL(app, CREATE, { input: { scope: 'write', customerId } }, [read, write]);
    expect(await app.models.ApiKey.countDocuments()).toBe(before);
  });

  test.each(['read', 'write'])('of scope %s returns it once, and it is valid', async (scope) => {
    const { customerId } = await app.newTenant();
    const created = await create({ scope, customerId, expiresAt: '2100-01-01T00:00:00Z' });
    expect(created).toEqual({
      key: expect.stringMatching(new RegExp(`^eg_${scope[0]}_[A-Za-z0-9_-]{27,}$`)),
      apiKey: {
        id: expect.any(String),
        scope,
        customerId,
        prefix: created.key.slice(0, 11),
        createdAt: expect.any(String),
        expiresAt: '2100-01-01T00:00:00.000Z',
        lastUsedAt: null,
        revokedAt: null,
      },
    });
    expect((await app.graphql(VIEWER, {}, created.key)).body).toEqual({ data: { viewer: { scope } } });
    expect(JSON.stringify((await app.graphql(LIST, {}, app.admin)).body)).not.toContain(created.key);
  });

  test('of scope admin belongs to no tenant', async () => {
    const { key, apiKey } = await create({ scope: 'admin' });
    expect(apiKey).toMatchObject({ customerId: null, expiresAt: null });
    expect((await app.graphql(LIST, {}, key)).body).not.toHaveProperty('errors');
  });

  test.each([
    [{ scope: 'admin', customerId: 1000 }, 'VALIDATION_FAILED'],
    [{ scope: 'read' }, 'VALIDATION_FAILED'],
    [{ scope: 'owner', customerId: 1000 }, 'VALIDATION_FAILED'],
    [{ customerId: 1000 }, 'VALIDATION_FAILED'],
    [{ scope: 'read', customerId: 0 }, 'VALIDATION_FAILED'],
    [{ scope: 'admin', expiresAt: '2020-01-01T00:00:00Z' }, 'VALIDATION_FAILED'],
    [{ scope: 'admin', expiresAt: 'soon' }, 'VALIDATION_FAILED'],
    [{ scope: 'read', customerId: 2_000_000_000 }, 'NOT_FOUND'],
  ])('rejects %j with %s', async (input, code) => {
    const before = await app.models.ApiKey.countDocuments();
    expect(await codeOf(CREATE, { input })).toBe(code);
    expect(await app.models.ApiKey.countDocuments()).toBe(before);
  });
});

describe('listing API keys', () => {
  test('requires authentication', async () => {
    const { read, write } = await app.newTenant();
    await expectProtectedGraphQL(app, LIST, {}, [read, write]);
  });

  test('pages through all of them, newest first', async () => {
    const { customerId } = await app.newTenant();
    const ids = [];
    for (let i = 0; i < 3; i += 1) ids.unshift((await create({ scope: 'read', customerId })).apiKey.id);
    const seen: string[] = [];
    let after: string | null = null;
    for (let pages = 0; pages < 100; pages += 1) {
      const { body } = await app.graphql(LIST, { first: 2, after }, app.admin);
      const { edges, pageInfo } = (body.data?.apiKeys ?? {}) as unknown as {
        edges: { node: { id: string } }[];
        pageInfo: { hasNextPage: boolean; endCursor: string };
      };
      seen.push(...edges.map(({ node }) => node.id));
      after = pageInfo.endCursor;
      if (!pageInfo.hasNextPage) break;
    }
    expect(seen.slice(0, 3)).toEqual(ids);
    expect(seen).toHaveLength(await app.models.ApiKey.countDocuments());
    expect(new Set(seen).size).toBe(seen.length);
  });
});

describe('revoking an API key', () => {
  test('requires authentication', async () => {
    const { customerId, read, write } = await app.newTenant();
    const { key, apiKey } = await create({ scope: 'read', customerId });
    await expectProtectedGraphQL(app, REVOKE, { id: apiKey.id }, [read, write]);
    expect((await app.graphql(VIEWER, {}, key)).status).toBe(200);
  });

  test('takes effect before it returns, and only once', async () => {
    const { customerId } = await app.newTenant();
    const { key, apiKey } = await create({ scope: 'write', customerId });
    const { body } = await app.graphql(REVOKE, { id: apiKey.id }, app.admin);
    expect(body.data?.revokeApiKey).toMatchObject({ id: apiKey.id, revokedAt: expect.any(String) });
    expect((await app.graphql(VIEWER, {}, key)).status).toBe(401);
    app.clock.advance(60_000);
    const again = await app.graphql(REVOKE, { id: apiKey.id }, app.admin);
    expect(again.body.data?.revokeApiKey?.revokedAt).toBe(body.data?.revokeApiKey?.revokedAt);
  });

  test('is NOT_FOUND for an unknown or malformed id', async () => {
    for (const id of ['f'.repeat(24), 'nope', '', 5]) expect(await codeOf(REVOKE, { id })).toBe('NOT_FOUND');
  });
});
