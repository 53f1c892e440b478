import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { endpointsPath } from '../webhooks/support.ts';

const CREATE = `mutation ($input: CreateWebhookEndpointInput!) {
  createWebhookEndpoint(input: $input) { endpoint { id } }
}`;
const INPUT = { url: 'https://receiver.example.com' };
let app: TestApp;
let tenant: TestTenant;

beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
});
afterAll(() => app.stop());

const message = (scope: string) => `API key lacks the required scope: ${scope}.`;
const forbidden = (scope: string) => ({
  errors: [{ message: message(scope), extensions: { code: 'FORBIDDEN' } }],
});

describe('the scope of a key', () => {
  test('read permits reading only', async () => {
    const path = endpointsPath(tenant.customerId);
    expect((await app.request('GET', path, { key: tenant.read })).status).toBe(200);
    const refused = await app.request('POST', path, { key: tenant.read, body: INPUT });
    expect(refused).toMatchObject({
      status: 403,
      body: { error: { code: 'FORBIDDEN', message: message('write') } },
    });
    const graphql = await app.graphql(CREATE, { input: INPUT }, tenant.read);
    expect(graphql).toMatchObject({ status: 200, body: forbidden('write') });
    expect(await app.models.Endpoint.countDocuments({ customerId: tenant.customerId })).toBe(0);
  });

  test('is checked before the input, so that a rejection reveals nothing about it', async () => {
    const path = endpointsPath(tenant.customerId);
    const answer = await app.request('POST', path, { key: tenant.read, body: '{' });
    expect(answer.status).toBe(403);
    const { body } = await app.graphql(CREATE, { input: { url: '' } }, tenant.read);
    expect(body).toMatchObject(forbidden('write'));
    expect(JSON.stringify(body)).not.toContain('details');
  });

  test('write includes read, but not admin', async () => {
    const path = endpointsPath(tenant.customerId);
    expect((await app.request('POST', path, { key: tenant.write, body: INPUT })).status).toBe(201);
    expect((await app.request('GET', path, { key: tenant.write })).status).toBe(200);
    for (const query of ['{ tenants { edges { cursor } } }', '{ apiKeys { edges { cursor } } }'])
      expect((await app.graphql(query, {}, tenant.write)).body).toMatchObject(forbidden('admin'));
  });

  test('admin includes both, for any named tenant', async () => {
    const path = endpointsPath(tenant.customerId);
    expect((await app.request('POST', path, { key: app.admin, body: INPUT })).status).toBe(201);
    expect((await app.request('GET', path, { key: app.admin })).status).toBe(200);
    const headers = { 'x-customer-id': String(tenant.customerId) };
    const { body } = await app.graphql(CREATE, { input: INPUT }, app.admin, headers);
    expect(body.data?.createWebhookEndpoint?.endpoint?.id).toEqual(expect.any(Number));
  });

  test('and its tenant are returned by `viewer`', async () => {
    const query = '{ viewer { scope tenant { customerId orgId name } expiresAt } }';
    const { customerId, orgId, name } = tenant.tenant;
    expect((await app.graphql(query, {}, tenant.read)).body).toEqual({
      data: { viewer: { scope: 'read', tenant: { customerId, orgId, name }, expiresAt: null } },
    });
    expect((await app.graphql(query, {}, app.admin)).body).toEqual({
      data: { viewer: { scope: 'admin', tenant: null, expiresAt: null } },
    });
  });
});
