import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { expectProtectedGraphQL } from '../support/protection.ts';

const CREATE = `mutation ($input: CreateTenantInput!) {
  createTenant(input: $input) { customerId orgId name createdAt }
}`;
const LIST = `query ($first: Int, $after: String) {
  tenants(first: $first, after: $after) {
    edges { node { customerId } } pageInfo { hasNextPage endCursor }
  }
}`;
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const create = (input: Record<string, unknown>) => app.graphql(CREATE, { input }, app.admin);

describe('creating a tenant', () => {
  test('requires authentication', async () => {
    const { read, write } = await app.newTenant();
    const input = { customerId: 1, orgId: 'org_1', name: 'One' };
    await expectProtectedGraphQL(app, CREATE, { input }, [read, write]);
    expect(await app.models.Tenant.countDocuments({ customerId: 1 })).toBe(0);
  });

  test('returns the tenant, which is usable at once', async () => {
    const input = { customerId: 2, orgId: 'org_2', name: 'Two' };
    const { body } = await create(input);
    expect(body).toEqual({ data: { createTenant: { ...input, createdAt: expect.any(String) } } });
    const path = '/api/v1/customers/2/webhook-endpoints';
    expect((await app.request('GET', path, { key: app.admin })).status).toBe(200);
  });

  test('is a CONFLICT if the customer or the organisation exists, also concurrently', async () => {
    await create({ customerId: 3, orgId: 'org_3', name: 'Three' });
    for (const clash of [
      { customerId: 3, orgId: 'org_33', name: 'Three' },
      { customerId: 33, orgId: 'org_3', name: 'Three' },
    ])
      expect((await create(clash)).body).toMatchObject({ errors: [{ extensions: { code: 'CONFLICT' } }] });
    const twins = await Promise.all(
      Array.from({ length: 5 }, () => create({ customerId: 4, orgId: 'org_4', name: 'Four' })),
    );
    expect(twins.filter(({ body }) => !('errors' in body))).toHaveLength(1);
    expect(await app.models.Tenant.countDocuments({ customerId: { $in: [3, 4, 33] } })).toBe(2);
  });

  test.each([
    { customerId: 0, orgId: 'org', name: 'n' },
    { customerId: -5, orgId: 'org', name: 'n' },
    { customerId: 1.5, orgId: 'org', name: 'n' },
    { customerId: 2 ** 31, orgId: 'org', name: 'n' },
    { customerId: '5', orgId: 'org', name: 'n' },
    { customerId: 5, orgId: '', name: 'n' },
    { customerId: 5, orgId: 'x'.repeat(501), name: 'n' },
    { customerId: 5, orgId: 'org', name: ' ' },
    { customerId: 5, orgId: 'org' },
    { customerId: 5, orgId: 'org', name: 'n', plan: 'gold' },
  ])('rejects %j', async (input) => {
    const before = await app.models.Tenant.countDocuments();
    const { status, body } = await create(input);
    expect(status).toBe(200);
    expect(body).toMatchObject({ errors: [{ extensions: { code: 'VALIDATION_FAILED' } }] });
    expect(await app.models.Tenant.countDocuments()).toBe(before);
  });
});

describe('listing tenants', () => {
  test('requires authentication', async () => {
    const { read, write } = await app.newTenant();
    await expectProtectedGraphQL(app, LIST, {}, [read, write]);
  });

  test('pages through all of them', async () => {
    for (let i = 0; i < 5; i += 1) await app.newTenant();
    const seen: number[] = [];
    let after: unknown = null;
    for (;;) {
      const { body } = await app.graphql(LIST, { first: 2, after }, app.admin);
      const { edges, pageInfo } = (body.data?.tenants ?? {}) as unknown as {
        edges: { node: { customerId: number } }[];
        pageInfo: { hasNextPage: boolean; endCursor: string };
      };
      seen.push(...edges.map(({ node }) => node.customerId));
      after = pageInfo.endCursor;
      if (!pageInfo.hasNextPage) break;
    }
    const stored = await app.models.Tenant.find().sort({ customerId: -1 }).lean();
    expect(seen).toEqual(stored.map(({ customerId }) => customerId));
  });

  test('rejects a cursor of another list', async () => {
    const keys = await app.graphql('{ apiKeys(first: 1) { pageInfo { endCursor } } }', {}, app.admin);
    const after = keys.body.data?.apiKeys?.pageInfo?.endCursor;
    expect((await app.graphql(LIST, { after }, app.admin)).body).toMatchObject({
      errors: [{ extensions: { code: 'VALIDATION_FAILED' } }],
    });
  });
});
