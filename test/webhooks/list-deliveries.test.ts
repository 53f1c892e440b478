import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { expectProtected, expectProtectedGraphQL } from '../support/protection.ts';
import {
  createEndpoint,
  deliveriesOf,
  deliveryLike,
  listening,
  missEvents,
  postConversion,
  type TestEndpoint,
} from './support.ts';

const LIST = `query ($endpointId: Int, $status: WebhookDeliveryStatus, $event: String) {
  webhookDeliveries(endpointId: $endpointId, status: $status, event: $event) { edges { node { id status event } } }
}`;
const OF_ENDPOINT = `query ($id: Int!) {
  webhookEndpoint(id: $id) { deliveries(first: 2, status: cancelled) { edges { node { status } } pageInfo { hasNextPage } } }
}`;
let app: TestApp;
let tenant: TestTenant;
let endpoint: TestEndpoint;

beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
  endpoint = await createEndpoint(app, tenant, {
    url: 'https://receiver.example.com',
    events: ['conversion.recorded'],
  });
  await missEvents(app, tenant, endpoint, 7);
});
afterAll(() => app.stop());

const page = (query: string) =>
  app.request('GET', `${endpoint.path}/deliveries${query}`, { key: tenant.read });
const idsOf = (body: unknown) => (body as { data: { id: string }[] }).data.map(({ id }) => id);

describe('listing deliveries', () => {
  test('requires authentication', async () => {
    const path = `${endpoint.path}/deliveries`;
    await expectProtected(app, { method: 'GET', path, scope: 'read' }, tenant);
    await expectProtectedGraphQL(app, LIST, {}, []);
  });

  test('returns rows without payload and attempts', async () => {
    const { status, body } = await page('?limit=1');
    expect(status).toBe(200);
    expect(body).toEqual({
      data: [
        {
          id: expect.stringMatching(/^[0-9a-f]{24}$/),
          endpointId: endpoint.id,
          eventId: expect.any(String),
          event: 'conversion.recorded',
          status: 'cancelled',
          attempt: 0,
          nextRetryAt: null,
          waitingFor: null,
          createdAt: expect.any(String),
          lastAttemptAt: null,
          responseStatus: null,
          error: null,
          failureReason: null,
          durationMs: null,
        },
      ],
      nextCursor: expect.any(String),
      hasMore: true,
    });
  });

  test('pages newest first, with each delivery once, while others are added', async () => {
    const all = idsOf((await page('')).body);
    expect(all).toHaveLength(7);
    expect(all).toEqual(all.toSorted().toReversed());
    const first = (await page('?limit=3')).body;
    await missEvents(app, tenant, endpoint, 2);
    const second = (await page(`?limit=3&cursor=${first.nextCursor}`)).body;
    const third = (await page(`?limit=3&cursor=${second.nextCursor}`)).body;
    expect([first, second, third].flatMap(idsOf)).toEqual(all);
    expect(third).toMatchObject({ nextCursor: null, hasMore: false });
  });

  test('filters by status, by event, and by both', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    receiver.behave(500);
    await postConversion(app, tenant);
    const send = { key: tenant.write, body: { event: 'outcome.marked' } };
    await app.request('POST', `${endpoint.path}/test`, send);
    await eventually(
      async () => (await deliveriesOf(app, tenant, endpoint, '?status=retrying')).length === 2,
    );

    const found = async (query: string) =>
      (await deliveriesOf(app, tenant, endpoint, query)).map(({ status, event }) => `${status} ${event}`);
    expect(await found('?status=succeeded')).toEqual(['succeeded conversion.recorded']);
    expect(await found('?event=outcome.marked')).toEqual(['retrying outcome.marked']);
    expect(await found('?event=conversion.recorded&status=retrying')).toEqual([
      'retrying conversion.recorded',
    ]);
    expect(await found('?event=outcome.marked&status=succeeded')).toEqual([]);
  });

  test('works over GraphQL for an endpoint, and for all of a tenant', async () => {
    const of = await app.graphql(OF_ENDPOINT, { id: endpoint.id }, tenant.read);
    expect(of.body.data?.webhookEndpoint?.deliveries).toMatchObject({
      edges: [{ node: { status: 'cancelled' } }, { node: { status: 'cancelled' } }],
      pageInfo: { hasNextPage: true },
    });
    const other = await createEndpoint(app, tenant, {
      url: 'https://other.example.com',
      events: ['outcome.marked'],
    });
    const count = async (variables: Record<string, unknown>) => {
      const { body } = await app.graphql(LIST, variables, tenant.read);
      return Object.keys(body.data?.webhookDeliveries?.edges ?? {}).length;
    };
    const all = await count({});
    expect(all).toBeGreaterThanOrEqual(7);
    expect(await count({ endpointId: endpoint.id, status: 'cancelled', event: 'conversion.recorded' })).toBe(
      all,
    );
    expect(await count({ endpointId: other.id })).toBe(0);
    expect(await count({ status: 'succeeded' })).toBe(0);
  });

  test.each([
    ['?status=lost', 'status'],
    ['?status=', 'status'],
    ['?event=nope', 'event'],
    ['?limit=201', 'limit'],
    ['?cursor=garbage', 'cursor'],
    ['?status=failed&status=pending', 'status'],
    ['?status[$ne]=failed', 'status[$ne]'],
    ['?endpointId=1', 'endpointId'],
  ])('rejects %s with 422', async (query, path) => {
    expect(await page(query)).toMatchObject({
      status: 422,
      body: { error: { code: 'VALIDATION_FAILED', details: [{ path }] } },
    });
  });

  test('rejects a cursor of another filter or endpoint', async () => {
    const { nextCursor } = (await page('?limit=1&status=cancelled')).body;
    expect((await page(`?limit=1&status=cancelled&cursor=${nextCursor}`)).status).toBe(200);
    expect((await page(`?limit=1&cursor=${nextCursor}`)).status).toBe(422);
    expect((await page(`?limit=1&event=outcome.marked&cursor=${nextCursor}`)).status).toBe(422);
    const other = await createEndpoint(app, tenant, { url: 'https://other.example.com' });
    const path = `${other.path}/deliveries?status=cancelled&cursor=${nextCursor}`;
    expect((await app.request('GET', path, { key: tenant.read })).status).toBe(422);
  });
});
