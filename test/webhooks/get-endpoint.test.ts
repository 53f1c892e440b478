import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { expectProtected, expectProtectedGraphQL } from '../support/protection.ts';
import { createEndpoint, endpointsPath } from './support.ts';

const URL = 'https://receiver.example.com/hooks';
const GET = 'query ($id: Int!) { webhookEndpoint(id: $id) { id url } }';
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

describe('getting a webhook endpoint', () => {
  test('requires authentication', async () => {
    const tenant = await app.newTenant();
    const { id, path } = await createEndpoint(app, tenant, { url: URL });
    await expectProtected(app, { method: 'GET', path, scope: 'read' }, tenant);
    await expectProtectedGraphQL(app, GET, { id }, []);
  });

  test('returns the endpoint without its secret', async () => {
    const tenant = await app.newTenant();
    const { id, path } = await createEndpoint(app, tenant, { url: URL, description: 'CRM' });
    const { status, body } = await app.request('GET', path, { key: tenant.read });
    expect(status).toBe(200);
    expect(body).toEqual({
      id,
      customerId: tenant.customerId,
      url: URL,
      description: 'CRM',
      events: null,
      filter: null,
      payload: 'full',
      enabled: true,
      disabledReason: null,
      circuit: { state: 'closed', since: null, reason: null },
      headers: {},
      authentication: null,
      signing: 'hmac',
      publicKey: null,
      previousSecretExpiresAt: null,
      timeoutSeconds: 5,
      paused: false,
      rateLimit: null,
      autoRecover: false,
      ordering: 'none',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const graphql = await app.graphql(GET, { id }, tenant.read);
    expect(graphql.body).toEqual({ data: { webhookEndpoint: { id, url: URL } } });
  });

  test("returns 404 for another tenant's, and null over GraphQL", async () => {
    const [tenant, other] = [await app.newTenant(), await app.newTenant()];
    const { id } = await createEndpoint(app, other, { url: URL });
    const path = `${endpointsPath(tenant.customerId)}/${id}`;
    expect(await app.request('GET', path, { key: tenant.read })).toMatchObject({
      status: 404,
      body: { error: { code: 'NOT_FOUND' } },
    });
    const { body } = await app.graphql(GET, { id }, tenant.read);
    expect(body).toEqual({ data: { webhookEndpoint: null } });
  });

  test.each(['0', '-1', '1.5', 'one', '2147483648', '01', '%31x', '%00', '%'])(
    'returns 404 for the id %s',
    async (id) => {
      const tenant = await app.newTenant();
      const path = `${endpointsPath(tenant.customerId)}/${id}`;
      expect(await app.request('GET', path, { key: tenant.read })).toMatchObject({
        status: 404,
        body: { error: { code: 'NOT_FOUND' } },
      });
    },
  );
});
