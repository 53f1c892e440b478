import { afterAll, beforeAll, expect, test } from 'vitest';
import { startConversation } from '../conversations/support.ts';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { subscribe } from '../support/subscription.ts';
import { createEndpoint, endpointsPath } from '../webhooks/support.ts';

const SUSPENDED = { code: 'CUSTOMER_SUSPENDED' };
const EVENT = { type: 'conversion', goal: 'signup', visitor_id: 'v_1' };
let app: TestApp;
let receiver: Receiver;

beforeAll(async () => {
  app = await startApp();
  receiver = await startReceiver();
});
afterAll(async () => {
  await app.stop();
  await receiver.stop();
});

const change = (tenant: TestTenant, action: 'suspend' | 'resume', key = app.admin) =>
  app.request('POST', `/api/v1/customers/${tenant.customerId}/${action}`, { key, body: {} });

const record = (tenant: TestTenant, key = tenant.write, headers = {}) =>
  app.request('POST', '/v1/events', { key, headers, body: EVENT });

test.each(['suspend', 'resume'] as const)('%s requires an admin key', async (action) => {
  const tenant = await app.newTenant();
  expect((await change(tenant, action, '')).status).toBe(401);
  for (const key of [tenant.read, tenant.write]) expect((await change(tenant, action, key)).status).toBe(403);
  expect((await record(tenant)).status).toBe(201);
});

test('refuses all requests of the customer with a code of its own, and nothing of others', async () => {
  const tenant = await app.newTenant();
  const other = await app.newTenant();
  const { key } = { key: tenant.write };
  const session = await app.services.consoleSessions.start(
    await app.services.keys.authenticate(`Bearer ${key}`),
    null,
  );
  const { body } = await change(tenant, 'suspend');
  expect(body).toMatchObject({ customerId: tenant.customerId, suspendedAt: expect.any(String) });
  for (const key of [tenant.read, tenant.write]) {
    const path = endpointsPath(tenant.customerId);
    expect(await app.request('GET', path, { key })).toMatchObject({
      status: 403,
      body: { error: SUSPENDED },
    });
    const graphql = await app.graphql('{ viewer { scope } }', {}, key);
    expect(graphql).toMatchObject({ status: 403 });
    expect(JSON.stringify(graphql.body)).toContain('CUSTOMER_SUSPENDED');
  }
  expect(await record(tenant)).toMatchObject({ status: 403, body: { error: SUSPENDED } });
  await expect(app.services.consoleSessions.authenticate(session.token)).rejects.toMatchObject(SUSPENDED);
  expect((await record(other)).status).toBe(201);
  expect((await change(tenant, 'suspend')).body.suspendedAt).toBe(body.suspendedAt);
  await change(tenant, 'resume');
  expect((await record(tenant)).status).toBe(201);
});

test('lets admin keys act for the customer', async () => {
  const tenant = await app.newTenant();
  await change(tenant, 'suspend');
  const headers = { 'x-customer-id': String(tenant.customerId) };
  expect((await record(tenant, app.admin, headers)).status).toBe(201);
  const query = '{ tenants(first: 1) { edges { node { customerId suspendedAt } } } }';
  const { body } = await app.graphql(query, {}, app.admin);
  expect(body).toMatchObject({
    data: {
      tenants: { edges: [{ node: { customerId: tenant.customerId, suspendedAt: expect.any(String) } }] },
    },
  });
});

test('holds deliveries until it is lifted', async () => {
  const tenant = await app.newTenant();
  const endpoint = await createEndpoint(app, tenant, { url: receiver.url, events: ['conversion.recorded'] });
  await change(tenant, 'suspend');
  const headers = { 'x-customer-id': String(tenant.customerId) };
  await record(tenant, app.admin, headers);
  const path = `${endpointsPath(tenant.customerId)}/${endpoint.id}/deliveries`;
  const first = async () =>
    (
      (await app.request('GET', path, { key: app.admin })).body.data as unknown as Record<string, unknown>[]
    )[0];
  await eventually(async () => (await first())?.waitingFor === 'suspended');
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(await first()).toMatchObject({ status: 'pending', attempt: 0, waitingFor: 'suspended' });
  await change(tenant, 'resume');
  await eventually(async () => (await first())?.status === 'succeeded');
});

test('ends subscriptions of the customer', async () => {
  const tenant = await app.newTenant();
  const stream = await subscribe(app, tenant.read, 'subscription { conversationUpdated { id } }');
  await startConversation(app, tenant);
  await eventually(() => stream.updates.length > 0);
  await change(tenant, 'suspend');
  await eventually(() => stream.over());
});

test('is in the audit log of the customer', async () => {
  const tenant = await app.newTenant();
  await change(tenant, 'suspend');
  await change(tenant, 'resume');
  const { edges } = await app.services.audit.list(tenant.customerId, {
    ...{ limit: 2, after: null, action: null, actor: null },
  });
  expect(edges.map(({ node }) => [node.action, node.after])).toEqual([
    ['resumeTenant', { suspended: false }],
    ['suspendTenant', { suspended: true }],
  ]);
});
