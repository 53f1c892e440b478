import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { expectProtected, expectProtectedGraphQL } from '../support/protection.ts';
import { createEndpoint, endpointsPath } from './support.ts';

const URL = 'https://receiver.example.com/hooks';
const CREATE = `mutation ($input: CreateWebhookEndpointInput!) {
  createWebhookEndpoint(input: $input) { endpoint { id customerId url description events enabled } secret }
}`;
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

describe('creating a webhook endpoint', () => {
  test('requires authentication', async () => {
    const tenant = await app.newTenant();
    const path = endpointsPath(tenant.customerId);
    await expectProtected(app, { method: 'POST', path, body: { url: URL }, scope: 'write' }, tenant);
    await expectProtectedGraphQL(app, CREATE, { input: { url: URL } }, [tenant.read]);
    expect(await app.models.Endpoint.countDocuments({ customerId: tenant.customerId })).toBe(0);
  });

  test('returns 201 with the endpoint and, only once, its secret', async () => {
    const tenant = await app.newTenant();
    const path = endpointsPath(tenant.customerId);
    const { status, body } = await app.request('POST', path, { key: tenant.write, body: { url: URL } });
    expect(status).toBe(201);
    expect(body).toEqual({
      endpoint: {
        id: expect.any(Number),
        customerId: tenant.customerId,
        url: URL,
        description: null,
        events: null,
        filter: null,
        payload: 'full',
        enabled: true,
        disabledReason: null,
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
        circuit: { state: 'closed', since: null, reason: null },
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        updatedAt: expect.any(String),
      },
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{32,43}=*$/),
    });
    const bytes = Buffer.from(String(body.secret).slice('whsec_'.length), 'base64').length;
    expect(bytes).toBeGreaterThanOrEqual(24);
    expect(bytes).toBeLessThanOrEqual(32);
  });

  test('stores the secret encrypted only', async () => {
    const { id, secret } = await createEndpoint(app, await app.newTenant(), { url: URL });
    const stored = await app.models.Endpoint.findOne({ id }).lean();
    expect(stored?.secret).toEqual(expect.any(String));
    expect(JSON.stringify(stored)).not.toContain(secret.slice('whsec_'.length));
  });

  test('stores description and events, with null for all events', async () => {
    const tenant = await app.newTenant();
    const request = { url: URL, description: 'CRM', events: ['conversation.ended', 'outcome.marked'] };
    const { path } = await createEndpoint(app, tenant, request);
    expect((await app.request('GET', path, { key: tenant.read })).body).toMatchObject(request);
    const all = await createEndpoint(app, tenant, { url: URL, description: null, events: null });
    const { body } = await app.request('GET', all.path, { key: tenant.read });
    expect(body).toMatchObject({ description: null, events: null });
  });

  test('works over GraphQL with the same rules', async () => {
    const tenant = await app.newTenant();
    const input = { url: URL, events: ['handoff.requested'] };
    const { body } = await app.graphql(CREATE, { input }, tenant.write);
    expect(body).toEqual({
      data: {
        createWebhookEndpoint: {
          endpoint: {
            ...input,
            id: expect.any(Number),
            customerId: tenant.customerId,
            description: null,
            enabled: true,
          },
          secret: expect.stringMatching(/^whsec_/),
        },
      },
    });
    const refused = await app.graphql(CREATE, { input: { url: 'ftp://example.com' } }, tenant.write);
    expect(refused.body).toMatchObject({
      errors: [
        { extensions: { code: 'VALIDATION_FAILED', details: [{ path: expect.stringMatching(/url$/) }] } },
      ],
    });
  });

  test.each([
    ['an address that is none', { url: 'receiver' }, 'url'],
    ['an address with a user name', { url: 'https://user@example.com' }, 'url'],
    ['an address of 2,049 characters', { url: `https://example.com/${'x'.repeat(2_029)}` }, 'url'],
    ['a description of 501 characters', { url: URL, description: 'x'.repeat(501) }, 'description'],
    ['an event named twice', { url: URL, events: ['outcome.marked', 'outcome.marked'] }, 'events'],
  ])('rejects %s with 422 and its path', async (_what, body, path) => {
    const tenant = await app.newTenant();
    const answer = await app.request('POST', endpointsPath(tenant.customerId), { key: tenant.write, body });
    expect(answer).toMatchObject({
      status: 422,
      body: { error: { code: 'VALIDATION_FAILED', details: [{ path }] } },
    });
  });

  test('is limited to 50 for a customer, also under 60 concurrent requests', async () => {
    const tenant = await app.newTenant();
    const path = endpointsPath(tenant.customerId);
    const create = async () =>
      (await app.request('POST', path, { key: tenant.write, body: { url: URL } })).status;
    const statuses = await Promise.all(Array.from({ length: 60 }, create));
    expect(statuses.filter((status) => status === 201)).toHaveLength(50);
    expect(statuses.filter((status) => status === 409)).toHaveLength(10);
    expect(await app.models.Endpoint.countDocuments({ customerId: tenant.customerId })).toBe(50);

    const { body } = await app.request('GET', path, { key: tenant.read });
    await app.request('DELETE', `${path}/${body.data?.[0]?.id}`, { key: tenant.write });
    expect([await create(), await create()]).toEqual([201, 409]);
  });
});
