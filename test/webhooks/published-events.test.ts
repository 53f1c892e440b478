import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newObjectId } from '../../src/platform/mongo/object-id.ts';
import { recordQueries } from '../conversations/queries.ts';
import { apply, CALLS, startConversation } from '../conversations/support.ts';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { expectProtected, expectProtectedGraphQL } from '../support/protection.ts';
import { createEndpoint, deliveryLike, listening, postConversion } from './support.ts';

const LIST = `query ($first: Int, $after: String, $type: String, $conversationId: String, $since: DateTime, $until: DateTime) {
  webhookEvents(first: $first, after: $after, type: $type, conversationId: $conversationId, since: $since, until: $until) {
    edges { node { id event conversationId payload createdAt deliveries { endpointId status } } }
    pageInfo { hasNextPage endCursor }
  }
}`;
const GET = 'query ($id: ID!) { webhookEvent(id: $id) { id event payload deliveries { endpointId } } }';

interface EventView {
  id: string;
  event: string;
  conversationId: string | null;
  payload: string;
  createdAt: string;
  deliveries: { id: string; endpointId: number; eventId: string; status: string }[];
}

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const pathOf = ({ customerId }: TestTenant) => `/api/v1/customers/${customerId}/events`;
const page = async (tenant: TestTenant, query = '') => {
  const { status, body } = await app.request('GET', pathOf(tenant) + query, { key: tenant.read });
  expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
  return body as unknown as { data: EventView[]; nextCursor: string | null; hasMore: boolean };
};
const namesOf = async (tenant: TestTenant, query = '') =>
  (await page(tenant, query)).data.map(({ event }) => event);

describe('the events of a customer', () => {
  test('require authentication', async () => {
    const tenant = await app.newTenant();
    await postConversion(app, tenant);
    const [event] = (await page(tenant)).data;
    const path = pathOf(tenant);
    await expectProtected(app, { method: 'GET', path, scope: 'read' }, tenant);
    await expectProtected(app, { method: 'GET', path: `${path}/${event?.id}`, scope: 'read' }, tenant);
    await expectProtectedGraphQL(app, LIST, {}, []);
    await expectProtectedGraphQL(app, GET, { id: event?.id }, []);
  });

  test('are listed with payload and deliveries, and those without an endpoint as well', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 200, { events: ['conversation.ended'] });
    const { id } = await startConversation(app, tenant);
    await apply(app, tenant, id, CALLS.endConversation);
    const { id: deliveryId } = await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });

    const { data, ...rest } = await page(tenant);
    expect(rest).toEqual({ nextCursor: null, hasMore: false });
    const [ended, started] = data;
    expect(data).toHaveLength(2);
    expect(ended).toEqual({
      id: receiver.received[0]?.headers['webhook-id'],
      event: 'conversation.ended',
      payload: receiver.received[0]?.body,
      conversationId: id,
      createdAt: expect.any(String),
      deliveries: [
        expect.objectContaining({
          id: deliveryId,
          endpointId: endpoint.id,
          eventId: ended?.id,
          status: 'succeeded',
          waitingFor: null,
        }),
      ],
    });
    expect(started).toMatchObject({ event: 'conversation.started', conversationId: id, deliveries: [] });

    for (const event of data) {
      const path = `${pathOf(tenant)}/${event.id}`;
      const single = await app.request('GET', path, { key: tenant.read });
      expect(single).toMatchObject({ status: 200, body: event });
      const headers = { 'if-none-match': String(single.headers.get('etag')) };
      expect((await app.request('GET', path, { key: tenant.read, headers })).status).toBe(304);
    }
    const { body } = await app.graphql(LIST, {}, tenant.read);
    expect((body.data?.webhookEvents as unknown as { edges: object[] } | undefined)?.edges).toMatchObject([
      { node: { id: ended?.id, conversationId: id, deliveries: [{ endpointId: endpoint.id }] } },
      { node: { id: started?.id, payload: started?.payload, deliveries: [] } },
    ]);
    expect((await app.graphql(GET, { id: started?.id }, tenant.read)).body.data?.webhookEvent).toMatchObject({
      event: 'conversation.started',
      deliveries: [],
    });
  });

  test('are selected by type, conversation and time range', async () => {
    const tenant = await app.newTenant();
    const first = await startConversation(app, tenant);
    await apply(app, tenant, first.id, CALLS.endConversation);
    app.clock.advance(60_000);
    await startConversation(app, tenant);
    await postConversion(app, tenant, { visitor_id: 'unknown' });

    const all = (await page(tenant)).data;
    expect(all.map(({ event }) => event)).toEqual([
      'conversion.recorded',
      'conversation.started',
      'conversation.ended',
      'conversation.started',
    ]);
    expect(await namesOf(tenant, '?type=conversation.started')).toHaveLength(2);
    expect(await namesOf(tenant, '?type=outcome.marked')).toEqual([]);
    expect(await namesOf(tenant, `?conversationId=${first.id}`)).toEqual([
      'conversation.ended',
      'conversation.started',
    ]);
    expect(await namesOf(tenant, `?conversationId=${first.id}&type=conversation.ended`)).toEqual([
      'conversation.ended',
    ]);
    expect(await namesOf(tenant, `?conversationId=${'f'.repeat(24)}`)).toEqual([]);
    const [, second, ended] = all;
    const since = encodeURIComponent(String(second?.createdAt));
    expect(await namesOf(tenant, `?since=${since}`)).toEqual(['conversion.recorded', 'conversation.started']);
    expect(await namesOf(tenant, `?until=${since}`)).toEqual(['conversation.ended', 'conversation.started']);
    const from = encodeURIComponent(String(ended?.createdAt));
    expect(await namesOf(tenant, `?since=${from}&until=${since}&conversationId=${first.id}`)).toContain(
      'conversation.ended',
    );
    const variables = { type: 'conversation.started', since: second?.createdAt, conversationId: null };
    const { body } = await app.graphql(LIST, variables, tenant.read);
    expect((body.data?.webhookEvents as unknown as { edges: object[] } | undefined)?.edges).toHaveLength(1);
  });

  test('are paged newest first, each once, while others are added', async () => {
    const tenant = await app.newTenant();
    for (let count = 0; count < 7; count += 1) await postConversion(app, tenant);
    const all = (await page(tenant)).data.map(({ id }) => id);
    expect(all).toEqual(all.toSorted().toReversed());
    const first = await page(tenant, '?limit=3');
    await postConversion(app, tenant);
    const second = await page(tenant, `?limit=3&cursor=${first.nextCursor}`);
    const third = await page(tenant, `?limit=3&cursor=${second.nextCursor}`);
    expect([first, second, third].flatMap(({ data }) => data.map(({ id }) => id))).toEqual(all);
    expect(third).toMatchObject({ nextCursor: null, hasMore: false });
    const path = `${pathOf(tenant)}?limit=3&type=conversion.recorded&cursor=${first.nextCursor}`;
    expect((await app.request('GET', path, { key: tenant.read })).status).toBe(422);
  });

  test.each([
    ['?type=conversation.paused', 'type'],
    ['?since=yesterday', 'since'],
    ['?until=1', 'until'],
    ['?conversationId=none', 'conversationId'],
    ['?limit=0', 'limit'],
    ['?cursor=garbage', 'cursor'],
    ['?event=conversion.recorded', 'event'],
  ])('reject %s with 422', async (query, path) => {
    const tenant = await app.newTenant();
    expect(await app.request('GET', pathOf(tenant) + query, { key: tenant.read })).toMatchObject({
      status: 422,
      body: { error: { code: 'VALIDATION_FAILED', details: [{ path }] } },
    });
  });

  test('are 404 if they are unknown, malformed or of another customer', async () => {
    const tenant = await app.newTenant();
    const stranger = await app.newTenant();
    await postConversion(app, stranger);
    const [foreign] = (await page(stranger)).data;
    for (const id of [foreign?.id, 'f'.repeat(24), 'nope']) {
      const { status, body } = await app.request('GET', `${pathOf(tenant)}/${id}`, { key: tenant.read });
      expect([status, body.error?.code]).toEqual([404, 'NOT_FOUND']);
      expect((await app.graphql(GET, { id }, tenant.read)).body).toEqual({ data: { webhookEvent: null } });
    }
    const { id } = await startConversation(app, stranger);
    expect(await namesOf(tenant, `?conversationId=${id}`)).toEqual([]);
  });
});

describe('a list of events', () => {
  const PAGE = 5;
  /** Ranges that a list of all types merges. */
  const RANGES = 15;
  const RARE = 'a'.repeat(24);
  let tenant: TestTenant;

  beforeAll(async () => {
    tenant = await app.newTenant();
    const { customerId } = tenant;
    const now = app.clock.now().getTime();
    // The oldest are the rare ones, and belong to one conversation.
    await app.models.Event.insertMany(
      Array.from({ length: 400 }, (_, index) => {
        const createdAt = new Date(now - (400 - index) * 60_000);
        const event = index < 10 ? 'outcome.marked' : 'conversation.started';
        const conversationId = index < 10 ? RARE : newObjectId(createdAt).toHexString();
        return { _id: newObjectId(createdAt), customerId, event, payload: '{}', conversationId, createdAt };
      }),
    );
  });

  const minutesAgo = (minutes: number) =>
    encodeURIComponent(new Date(app.clock.now().getTime() - minutes * 60_000).toISOString());

  test.each([
    ['all types', () => '', RANGES],
    ['a type', () => '&type=outcome.marked', 2],
    ['a conversation', () => `&conversationId=${RARE}`, 2],
    ['a type in a conversation', () => `&conversationId=${RARE}&type=outcome.marked`, 2],
    ['a time range', () => `&since=${minutesAgo(250)}&until=${minutesAgo(200)}`, 2 * RANGES],
  ])('of %s reads about as many keys as rows', async (_what, filter, ranges) => {
    const queries = await recordQueries(app, 'webhookEvents', {
      'command.filter.customerId': tenant.customerId,
    });
    expect((await page(tenant, `?limit=${PAGE}${filter()}`)).data).toHaveLength(PAGE);
    const [read, ...more] = await queries.stop();
    expect(more).toEqual([]);
    expect(read).toMatchObject({ returned: PAGE + 1, docsExamined: PAGE + 1, sorts: false });
    expect(read?.keysExamined).toBeLessThanOrEqual(PAGE + 1 + ranges);
  });

  test('with deliveries reads them together', async () => {
    const other = await app.newTenant();
    await createEndpoint(app, other, { url: 'http://127.0.0.1:9' });
    for (let count = 0; count < 5; count += 1) await postConversion(app, other);
    const queries = await recordQueries(app, 'webhookDeliveries', {
      'command.filter.customerId': other.customerId,
      'command.filter.eventId': { $exists: true },
    });
    expect((await page(other)).data.flatMap(({ deliveries }) => deliveries)).toHaveLength(5);
    const [read, ...more] = await queries.stop();
    expect(more).toEqual([]);
    expect(read?.indexes).toEqual(['customerId_1_eventId_1_endpointId_1']);
  });
});
