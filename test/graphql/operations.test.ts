import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TypedDocumentString } from '../generated/graphql.ts';
import { graphql } from '../generated/index.ts';
import { openChangeStreams } from '../http/support.ts';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';

const Viewer = graphql(`
  query Viewer {
    viewer {
      scope
      expiresAt
      tenant {
        customerId
        orgId
      }
    }
  }
`);

const CreateEndpoint = graphql(`
  mutation CreateEndpoint($input: CreateWebhookEndpointInput!) {
    createWebhookEndpoint(input: $input) {
      secret
      endpoint {
        id
        customerId
        url
        description
        events
        enabled
        disabledReason
        createdAt
      }
    }
  }
`);

const UpdateEndpoint = graphql(`
  mutation UpdateEndpoint($id: Int!, $input: UpdateWebhookEndpointInput!) {
    updateWebhookEndpoint(id: $id, input: $input) {
      description
      events
      enabled
      disabledReason
    }
  }
`);

const DeleteEndpoint = graphql(`
  mutation DeleteEndpoint($id: Int!) {
    deleteWebhookEndpoint(id: $id) {
      id
      deleted
    }
  }
`);

const RotateSecret = graphql(`
  mutation RotateSecret($id: Int!) {
    rotateWebhookSecret(id: $id) {
      id
      secret
    }
  }
`);

const Endpoints = graphql(`
  query Endpoints($first: Int, $after: String) {
    webhookEndpoints(first: $first, after: $after) {
      edges {
        cursor
        node {
          id
        }
      }
      pageInfo {
        hasNextPage
        hasPreviousPage
        startCursor
        endCursor
      }
    }
  }
`);

const Endpoint = graphql(`
  query Endpoint($id: Int!) {
    webhookEndpoint(id: $id) {
      id
      deliveries(first: 5) {
        edges {
          node {
            id
            event
            payload
            attempts {
              number
              manual
            }
          }
        }
      }
    }
  }
`);

const Deliveries = graphql(`
  query Deliveries($endpointId: Int, $status: WebhookDeliveryStatus, $event: String, $after: String) {
    webhookDeliveries(endpointId: $endpointId, status: $status, event: $event, after: $after) {
      edges {
        node {
          id
          endpointId
          status
          event
        }
      }
    }
  }
`);

const RecordEvent = graphql(`
  mutation RecordEvent($input: RecordEventInput!) {
    recordEvent(input: $input) {
      id
      type
      goal
      visitorId
      conversationId
      value
      occurredAt
    }
  }
`);

const Overview = graphql(`
  query Overview($since: DateTime!) {
    health {
      status
      database {
        status
      }
    }
    activity(since: $since) {
      events {
        event
        count
      }
    }
    eventTypes {
      name
    }
  }
`);

const CreateTenant = graphql(`
  mutation CreateTenant($input: CreateTenantInput!) {
    createTenant(input: $input) {
      customerId
      orgId
      name
    }
  }
`);

const CreateApiKey = graphql(`
  mutation CreateApiKey($input: CreateApiKeyInput!) {
    createApiKey(input: $input) {
      key
      apiKey {
        id
        scope
        customerId
        prefix
        revokedAt
      }
    }
  }
`);

const RevokeApiKey = graphql(`
  mutation RevokeApiKey($id: ID!) {
    revokeApiKey(id: $id) {
      revokedAt
    }
  }
`);

const Administration = graphql(`
  query Administration {
    tenants(first: 100) {
      edges {
        node {
          customerId
        }
      }
    }
    apiKeys(first: 1) {
      edges {
        node {
          id
        }
      }
      pageInfo {
        hasNextPage
      }
    }
  }
`);

const DeliveryUpdated = graphql(`
  subscription DeliveryUpdated($endpointId: Int) {
    webhookDeliveryUpdated(endpointId: $endpointId) {
      endpointId
      event
      status
    }
  }
`);

let app: TestApp;
let one: TestTenant;
let other: TestTenant;

beforeAll(async () => {
  app = await startApp();
  one = await app.newTenant();
  other = await app.newTenant();
});
afterAll(() => app?.stop());

/** Response of an operation, typed by its document. */
async function ask<Result, Variables extends Record<string, unknown>>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
  key: string,
  headers: Record<string, string> = {},
) {
  const { status, body } = await app.graphql(document.toString(), variables, key, headers);
  const { data, errors } = body as {
    data?: Result | null;
    errors?: { extensions: { code: string; details?: unknown } }[];
  };
  return { status, data, code: errors?.[0]?.extensions.code, details: errors?.[0]?.extensions.details };
}

const createEndpoint = async (
  tenant: TestTenant,
  url = 'http://127.0.0.1:1/hook',
  events: string[] | null = null,
) => {
  const { data } = await ask(CreateEndpoint, { input: { url, events } }, tenant.write);
  if (!data) throw new Error('No endpoint was created.');
  return data.createWebhookEndpoint;
};

test('viewer returns the scope of the key, and its tenant', async () => {
  const { data } = await ask(Viewer, {}, one.read);
  expect(data?.viewer).toEqual({
    scope: 'read',
    expiresAt: null,
    tenant: { customerId: one.customerId, orgId: one.tenant.orgId },
  });
  expect((await ask(Viewer, {}, app.admin)).data?.viewer).toEqual({
    scope: 'admin',
    expiresAt: null,
    tenant: null,
  });
});

test('returns 401 for every operation without a valid key, including introspection', async () => {
  for (const key of ['', 'eg_r_unknown']) {
    expect(await ask(Viewer, {}, key)).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    const introspection = await app.graphql('{ __schema { queryType { name } } }', {}, key);
    expect(introspection.status).toBe(401);
  }
});

describe('webhook endpoints', () => {
  test('are created with their secret, changed, rotated and deleted', async () => {
    const { endpoint, secret } = await createEndpoint(one, 'http://127.0.0.1:1/hook', [
      'conversion.recorded',
    ]);
    expect(secret).toMatch(/^whsec_/);
    expect(endpoint).toMatchObject({
      customerId: one.customerId,
      events: ['conversion.recorded'],
      enabled: true,
      disabledReason: null,
    });

    const disabled = await ask(
      UpdateEndpoint,
      { id: endpoint.id, input: { description: 'mine', enabled: false } },
      one.write,
    );
    expect(disabled.data?.updateWebhookEndpoint).toEqual({
      description: 'mine',
      events: ['conversion.recorded'],
      enabled: false,
      disabledReason: 'manual',
    });
    const all = await ask(
      UpdateEndpoint,
      { id: endpoint.id, input: { events: null, enabled: true } },
      one.write,
    );
    expect(all.data?.updateWebhookEndpoint).toEqual({
      description: 'mine',
      events: null,
      enabled: true,
      disabledReason: null,
    });

    const rotated = await ask(RotateSecret, { id: endpoint.id }, one.write);
    expect(rotated.data?.rotateWebhookSecret.secret).toMatch(/^whsec_/);
    expect(rotated.data?.rotateWebhookSecret.secret).not.toBe(secret);

    const deleted = await ask(DeleteEndpoint, { id: endpoint.id }, one.write);
    expect(deleted.data?.deleteWebhookEndpoint).toEqual({ id: endpoint.id, deleted: true });
    expect((await ask(Endpoint, { id: endpoint.id }, one.read)).data).toEqual({ webhookEndpoint: null });
  });

  test('of another tenant are not found', async () => {
    const { endpoint } = await createEndpoint(one);
    expect((await ask(Endpoint, { id: endpoint.id }, other.read)).data).toEqual({ webhookEndpoint: null });
    const foreign = { status: 200, code: 'NOT_FOUND' };
    expect(await ask(DeleteEndpoint, { id: endpoint.id }, other.write)).toMatchObject(foreign);
    expect(await ask(RotateSecret, { id: endpoint.id }, other.write)).toMatchObject(foreign);
    expect((await ask(Deliveries, { endpointId: endpoint.id }, other.read)).code).toBe('NOT_FOUND');
  });

  test('are paged, newest first', async () => {
    const tenant = await app.newTenant();
    const ids = [];
    for (let i = 0; i < 3; i++) ids.unshift((await createEndpoint(tenant)).endpoint.id);
    const first = (await ask(Endpoints, { first: 2 }, tenant.read)).data?.webhookEndpoints;
    expect(first?.edges.map(({ node }) => node.id)).toEqual(ids.slice(0, 2));
    expect(first?.pageInfo).toEqual({
      hasNextPage: true,
      hasPreviousPage: false,
      startCursor: first?.edges[0]?.cursor,
      endCursor: first?.edges[1]?.cursor,
    });
    const second = (await ask(Endpoints, { first: 2, after: first?.pageInfo.endCursor }, tenant.read)).data
      ?.webhookEndpoints;
    expect(second?.edges.map(({ node }) => node.id)).toEqual(ids.slice(2));
    expect(second?.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
  });

  test('reject a malformed cursor and one of another list', async () => {
    const tenant = await app.newTenant();
    await createEndpoint(tenant);
    const [edge] = (await ask(Endpoints, {}, tenant.read)).data?.webhookEndpoints.edges ?? [];
    expect((await ask(Endpoints, { after: 'garbage' }, tenant.read)).code).toBe('VALIDATION_FAILED');
    expect((await ask(Deliveries, { after: edge?.cursor }, tenant.read)).code).toBe('VALIDATION_FAILED');
  });
});

test('a recorded conversion is delivered, listed by filter, counted and sent to subscribers', async () => {
  const { endpoint } = await createEndpoint(one, 'http://127.0.0.1:1/hook', ['conversion.recorded']);
  const stop = new AbortController();
  const watching = await fetch(`${app.url}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${one.read}`,
      accept: 'text/event-stream',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ query: DeliveryUpdated.toString(), variables: { endpointId: endpoint.id } }),
    signal: stop.signal,
  });
  expect(watching.headers.get('content-type')).toMatch(/^text\/event-stream/);
  let seen = '';
  const reading = (async () => {
    for await (const chunk of watching.body ?? []) seen += Buffer.from(chunk).toString();
  })().catch(() => {});

  const recorded = await ask(
    RecordEvent,
    {
      input: {
        type: 'conversion',
        visitorId: 'v_1',
        goal: 'demo',
        value: 2.5,
        occurredAt: '2026-01-31T10:30:00+01:00',
      },
    },
    one.write,
  );
  expect(recorded.data?.recordEvent).toMatchObject({
    type: 'conversion',
    goal: 'demo',
    visitorId: 'v_1',
    conversationId: null,
    value: 2.5,
    occurredAt: '2026-01-31T09:30:00.000Z',
  });

  const delivery = await eventually(async () => {
    const { data } = await ask(Endpoint, { id: endpoint.id }, one.read);
    const [edge] = data?.webhookEndpoint?.deliveries.edges ?? [];
    return edge && edge.node.attempts.length >= 2 && edge.node;
  });
  expect(delivery.event).toBe('conversion.recorded');
  expect(JSON.parse(delivery.payload).data).toMatchObject({
    conversionEventId: recorded.data?.recordEvent.id,
    conversionType: 'demo',
    value: 2.5,
  });

  const filters = { endpointId: endpoint.id, event: 'conversion.recorded', status: 'retrying' as const };
  const listed = (await ask(Deliveries, filters, one.read)).data?.webhookDeliveries.edges;
  expect(listed?.map(({ node }) => node.id)).toEqual([delivery.id]);
  expect(
    (await ask(Deliveries, { ...filters, status: 'succeeded' }, one.read)).data?.webhookDeliveries.edges,
  ).toEqual([]);

  const overview = (await ask(Overview, { since: '2020-01-01T00:00:00Z' }, one.read)).data;
  expect(overview?.activity.events).toContainEqual({ event: 'conversion.recorded', count: 1 });
  expect(overview?.health.database.status).toBe('up');

  await eventually(async () => seen.includes('"status":"retrying"'));
  expect(seen).toContain(
    `{"data":{"webhookDeliveryUpdated":{"endpointId":${endpoint.id},"event":"conversion.recorded"`,
  );
  expect(seen).not.toContain('errors');
  stop.abort();
  await reading;
});

describe('administration', () => {
  test('creates tenants and keys, and revokes a key at once, including its subscriptions', async () => {
    const customerId = one.customerId + 500_000;
    const input = { customerId, orgId: `org_${customerId}`, name: 'New' };
    expect((await ask(CreateTenant, { input }, app.admin)).data?.createTenant).toEqual(input);
    expect((await ask(CreateTenant, { input }, app.admin)).code).toBe('CONFLICT');

    const created = (await ask(CreateApiKey, { input: { scope: 'read', customerId } }, app.admin)).data
      ?.createApiKey;
    expect(created?.apiKey).toMatchObject({ scope: 'read', customerId, revokedAt: null });
    const key = created?.key ?? '';
    expect((await ask(Viewer, {}, key)).data?.viewer.tenant?.customerId).toBe(customerId);

    const before = await openChangeStreams(app);
    const watching = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        accept: 'text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ query: DeliveryUpdated.toString() }),
    });
    const seen = watching.text();
    await eventually(async () => (await openChangeStreams(app)) > before);
    const revoked = await ask(RevokeApiKey, { id: created?.apiKey.id ?? '' }, app.admin);
    expect(revoked.data?.revokeApiKey.revokedAt).toMatch(/Z$/);
    expect(await ask(Viewer, {}, key)).toMatchObject({ status: 401 });
    expect(await seen).toMatch(/event: complete\ndata:\n\n$/);
  });

  test('lists tenants and keys', async () => {
    const { data } = await ask(Administration, {}, app.admin);
    expect(data?.tenants.edges.map(({ node }) => node.customerId)).toContain(one.customerId);
    expect(data?.apiKeys).toMatchObject({ edges: [{}], pageInfo: { hasNextPage: true } });
  });

  test('is forbidden for a tenant key', async () => {
    expect(await ask(Administration, {}, one.write)).toMatchObject({
      status: 200,
      data: null,
      code: 'FORBIDDEN',
    });
    expect((await ask(CreateApiKey, { input: { scope: 'admin' } }, one.write)).code).toBe('FORBIDDEN');
  });

  test('rejects a tenant key without a tenant, and an admin key with one', async () => {
    for (const input of [
      { scope: 'read' as const },
      { scope: 'admin' as const, customerId: one.customerId },
    ]) {
      expect(await ask(CreateApiKey, { input }, app.admin)).toMatchObject({
        code: 'VALIDATION_FAILED',
        details: [{ path: 'input.customerId' }],
      });
    }
  });

  test('an admin selects the tenant by header, and gets a 422 without one', async () => {
    expect((await ask(Endpoints, {}, app.admin)).code).toBe('VALIDATION_FAILED');
    const { code, data } = await ask(Endpoints, {}, app.admin, { 'x-customer-id': String(one.customerId) });
    expect(code).toBeUndefined();
    expect(data?.webhookEndpoints.edges.length).toBeGreaterThan(0);
  });
});
