import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, startApp, type TestApp } from '../support/app.ts';
import { expectProtected, expectProtectedGraphQL } from '../support/protection.ts';
import {
  createEndpoint,
  deliveriesOf,
  deliveryLike,
  endpointsPath,
  listening,
  postConversion,
  receiving,
} from './support.ts';

const URL = 'https://receiver.example.com/hooks';
const UPDATE = `mutation ($id: Int!, $input: UpdateWebhookEndpointInput!) {
  updateWebhookEndpoint(id: $id, input: $input) { id url description events enabled disabledReason }
}`;
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

async function withEndpoint(input: Record<string, unknown> = {}) {
  const tenant = await app.newTenant();
  const endpoint = await createEndpoint(app, tenant, { url: URL, ...input });
  const patch = (body: unknown) => app.request('PATCH', endpoint.path, { key: tenant.write, body });
  return { tenant, endpoint, patch };
}

describe('changing a webhook endpoint', () => {
  test('requires authentication', async () => {
    const { tenant, endpoint } = await withEndpoint();
    const body = { description: 'stolen' };
    await expectProtected(app, { method: 'PATCH', path: endpoint.path, body, scope: 'write' }, tenant);
    await expectProtectedGraphQL(app, UPDATE, { id: endpoint.id, input: body }, [tenant.read]);
    const { body: unchanged } = await app.request('GET', endpoint.path, { key: tenant.read });
    expect(unchanged.description).toBeNull();
  });

  test('changes only the named fields', async () => {
    const { patch } = await withEndpoint({ description: 'CRM', events: ['outcome.marked'] });
    const { status, body } = await patch({ description: 'Sales' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ url: URL, description: 'Sales', events: ['outcome.marked'], enabled: true });
    expect(Date.parse(String(body.updatedAt))).toBeGreaterThanOrEqual(Date.parse(String(body.createdAt)));
  });

  test('clears a description with null', async () => {
    const { patch } = await withEndpoint({ description: 'CRM' });
    expect((await patch({ description: null })).body.description).toBeNull();
  });

  test('clears the filter with null, which selects all events', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 200, { events: ['outcome.marked'] });
    await postConversion(app, tenant);
    expect(await deliveriesOf(app, tenant, endpoint)).toEqual([]);
    const { body } = await app.request('PATCH', endpoint.path, { key: tenant.write, body: { events: null } });
    expect(body.events).toBeNull();
    await postConversion(app, tenant);
    await receiver.waitFor(1);
    expect(receiver.received[0]?.envelope.event).toBe('conversion.recorded');
  });

  test('applies a new URL to later deliveries', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    const moved = await receiving();
    await app.request('PATCH', endpoint.path, { key: tenant.write, body: { url: moved.url } });
    await postConversion(app, tenant);
    await moved.waitFor(1);
    expect(receiver.received).toEqual([]);
  });

  test('disables with reason `manual`, and clears the reason when enabled', async () => {
    const { patch } = await withEndpoint();
    expect((await patch({ enabled: false })).body).toMatchObject({
      enabled: false,
      disabledReason: 'manual',
    });
    expect((await patch({ enabled: false })).body).toMatchObject({
      enabled: false,
      disabledReason: 'manual',
    });
    expect((await patch({ enabled: true })).body).toMatchObject({ enabled: true, disabledReason: null });
  });

  test('keeps the reason `gone` when it is also disabled manually', async () => {
    const { tenant, endpoint } = await listening(app, 410);
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'failed' });
    await eventually(async () => {
      const found = await app.request('GET', endpoint.path, { key: tenant.read });
      return String(found.body.enabled) === 'false';
    });
    const { body } = await app.request('PATCH', endpoint.path, {
      key: tenant.write,
      body: { enabled: false },
    });
    expect(body).toMatchObject({ enabled: false, disabledReason: 'gone' });
  });

  test('works over GraphQL, null included', async () => {
    const { tenant, endpoint } = await withEndpoint({ description: 'CRM', events: ['outcome.marked'] });
    const input = { events: null, enabled: false };
    const { body } = await app.graphql(UPDATE, { id: endpoint.id, input }, tenant.write);
    expect(body.data?.updateWebhookEndpoint).toEqual({
      id: endpoint.id,
      url: URL,
      description: 'CRM',
      events: null,
      enabled: false,
      disabledReason: 'manual',
    });
  });

  test.each([
    [{ url: null }, 'url'],
    [{ url: '' }, 'url'],
    [{ url: 'https://user:pass@example.com' }, 'url'],
    [{ events: [] }, 'events'],
    [{ events: ['nope'] }, 'events.0'],
    [{ events: 'outcome.marked' }, 'events'],
    [{ enabled: null }, 'enabled'],
    [{ enabled: 'false' }, 'enabled'],
    [{ description: 5 }, 'description'],
    [{ secret: 'whsec_x' }, 'secret'],
    [{ disabledReason: null }, 'disabledReason'],
    [{ customerId: 1 }, 'customerId'],
  ])('rejects %j with 422', async (body, path) => {
    const { tenant, endpoint, patch } = await withEndpoint();
    const before = await app.request('GET', endpoint.path, { key: tenant.read });
    expect(await patch(body)).toMatchObject({
      status: 422,
      body: { error: { code: 'VALIDATION_FAILED', details: [{ path }] } },
    });
    expect((await app.request('GET', endpoint.path, { key: tenant.read })).body).toEqual(before.body);
  });

  test('returns 404 for an unknown endpoint, but only if the input is valid', async () => {
    const tenant = await app.newTenant();
    const path = `${endpointsPath(tenant.customerId)}/2147483647`;
    const patch = async (body: unknown) =>
      (await app.request('PATCH', path, { key: tenant.write, body })).status;
    expect(await patch({ description: 'x' })).toBe(404);
    expect(await patch({ url: 'ftp://example.com' })).toBe(422);
  });
});

test('concurrent changes are each valid with what the other one has left', async () => {
  const tenant = await app.newTenant();
  for (let round = 0; round < 10; round += 1) {
    const events = ['identity.resolved', 'conversion.recorded'];
    const { path } = await createEndpoint(app, tenant, { url: 'https://receiver.example.com', events });
    const patch = async (body: object) =>
      (await app.request('PATCH', path, { key: tenant.write, body })).status;
    const statuses = await Promise.all([
      patch({ events: ['identity.resolved'] }),
      patch({ filter: { 'data.conversionType': 'demo' } }),
      patch({ description: 'Both are in effect' }),
    ]);
    expect(statuses.toSorted()).toEqual([200, 200, 422]);
    const { body } = await app.request('GET', path, { key: tenant.read });
    expect(body.description).toBe('Both are in effect');
    expect(body.filter === null || String(body.events) === String(events)).toBe(true);
  }
});

test('many concurrent changes of one endpoint are all made', async () => {
  const tenant = await app.newTenant();
  const { path } = await createEndpoint(app, tenant, { url: 'https://receiver.example.com' });
  const changes = Array.from({ length: 16 }, (_, index) =>
    app.request('PATCH', path, { key: tenant.write, body: { description: `change ${index}` } }),
  );
  expect((await Promise.all(changes)).map(({ status }) => status)).toEqual(Array(16).fill(200));
});
