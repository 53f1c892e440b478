import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DeliveryDoc, newDelivery } from '../../src/features/webhooks/delivery/delivery.model.ts';
import { newObjectId } from '../../src/platform/mongo/object-id.ts';
import { recordQueries } from '../conversations/queries.ts';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { createEndpoint, type TestEndpoint } from './support.ts';

const CONVERSATION = 'c'.repeat(24);
const NOWHERE = { url: 'http://127.0.0.1:9', paused: true };
const COUNT = 300;
const PAGE = 5;

interface Row {
  id: string;
  endpointId: number;
  eventId: string;
  error: string | null;
  responseStatus: number | null;
  createdAt: string;
}

let app: TestApp;
let tenant: TestTenant;
let endpoint: TestEndpoint;
let other: TestEndpoint;
/** Oldest first, a minute apart. */
const stored: DeliveryDoc[] = [];

const OUTCOMES = [
  { status: 'succeeded', error: null, responseStatus: 200 },
  { status: 'failed', error: 'http_500', responseStatus: 500 },
  { status: 'failed', error: 'timeout', responseStatus: null },
] as const;

beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
  endpoint = await createEndpoint(app, tenant, NOWHERE);
  other = await createEndpoint(app, tenant, NOWHERE);
  const { customerId } = tenant;
  const start = app.clock.now().getTime() - COUNT * 60_000;
  const events = Array.from({ length: COUNT }, (_, index) => {
    const createdAt = new Date(start + index * 60_000);
    const isOfConversation = index < 30;
    return {
      _id: newObjectId(createdAt),
      ...{ customerId, event: 'conversion.recorded' as const, createdAt },
      payload: JSON.stringify({ event: 'conversion.recorded', data: { note: `Order "${index}" é` }, ts: 0 }),
      ...(isOfConversation && { conversationId: CONVERSATION }),
    };
  });
  await app.models.Event.insertMany(events);
  stored.push(
    ...events.map(({ _id: eventId, event, createdAt }, index) => {
      const endpointId = index < 30 ? endpoint.id : other.id;
      const { status, error, responseStatus } = OUTCOMES[index % 3] ?? OUTCOMES[0];
      const created = { _id: newObjectId(createdAt), customerId, endpointId, eventId, event };
      const state = { status, attempt: 5, lane: 'scheduled', finishedAt: createdAt } as const;
      return { ...newDelivery(created, state, createdAt), error, responseStatus };
    }),
  );
  await app.models.Delivery.insertMany(stored);
});
afterAll(() => app.stop());

const ask = (query: string, { path } = endpoint) =>
  app.request('GET', `${path}/deliveries${query}`, { key: tenant.read });

async function list(query: string, of = endpoint): Promise<Row[]> {
  const { status, body } = await ask(query, of);
  expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
  return body.data as unknown as Row[];
}

/** Lists the deliveries of the customer, or of an endpoint, in GraphQL. */
async function listAll(filter: string, endpointId?: number): Promise<Row[]> {
  const query = endpointId
    ? `{ webhookEndpoint(id: ${endpointId}) { deliveries(first: 100 ${filter}) { edges { node { id endpointId error } } } } }`
    : `{ webhookDeliveries(first: 100 ${filter}) { edges { node { id endpointId error } } } }`;
  const { body } = await app.graphql(query, {}, tenant.read);
  expect(body.errors).toBeUndefined();
  const found = (body.data?.webhookDeliveries ?? body.data?.webhookEndpoint?.deliveries) as unknown as
    | { edges: { node: Row }[] }
    | undefined;
  return found?.edges.map(({ node }) => node) ?? [];
}

const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);

/** Ids of the deliveries that fulfil a condition, newest first. */
const expected = (isWanted: (delivery: DeliveryDoc, index: number) => boolean) =>
  stored
    .filter(isWanted)
    .map(({ _id }) => _id.toHexString())
    .toReversed();

const at = (index: number) => encodeURIComponent(stored[index]?.createdAt.toISOString() ?? '');

describe('deliveries are listed', () => {
  test('of a time range, with its start and without its end', async () => {
    const rows = await list(`?since=${at(3)}&until=${at(6)}`);
    expect(idsOf(rows)).toEqual(expected((_, index) => index >= 3 && index < 6));
    const failed = await list(`?since=${at(3)}&until=${at(6)}&status=failed&event=conversion.recorded`);
    expect(idsOf(failed)).toEqual(
      expected(({ status }, index) => index >= 3 && index < 6 && status === 'failed'),
    );
  });

  test('by error, by response status, and with a status and a time range', async () => {
    const ofEndpoint = (index: number) => index < 30;
    expect(idsOf(await list('?error=timeout'))).toEqual(
      expected(({ error }, index) => ofEndpoint(index) && error === 'timeout'),
    );
    expect(idsOf(await list('?responseStatus=500'))).toEqual(
      expected(({ error }, index) => ofEndpoint(index) && error === 'http_500'),
    );
    expect(await list('?responseStatus=500&status=retrying')).toEqual([]);
    expect(idsOf(await list(`?error=timeout&status=failed&since=${at(15)}`))).toEqual(
      expected(({ error }, index) => ofEndpoint(index) && index >= 15 && error === 'timeout'),
    );
    expect(await list('?error=http_410')).toEqual([]);
  });

  test('of all endpoints by error, deleted ones included', async () => {
    const deleted = await createEndpoint(app, tenant, NOWHERE);
    const createdAt = new Date(stored[0]?.createdAt.getTime() ?? 0);
    const eventId = newObjectId(createdAt);
    const { customerId } = tenant;
    const lost = newDelivery(
      {
        _id: newObjectId(createdAt),
        customerId,
        endpointId: deleted.id,
        eventId,
        event: 'conversion.recorded',
      },
      { status: 'cancelled', attempt: 2, lane: 'scheduled', finishedAt: createdAt },
      createdAt,
    );
    await app.models.Delivery.create({ ...lost, error: 'tls' });
    await app.request('DELETE', deleted.path, { key: tenant.write });
    expect(idsOf(await listAll(', error: "tls"'))).toEqual([lost._id.toHexString()]);
    const timeouts = expected(({ error }) => error === 'timeout');
    expect(idsOf(await listAll(', error: "timeout"'))).toEqual(timeouts.slice(0, 100));
    await app.models.Delivery.deleteOne({ _id: lost._id, customerId });
  });

  test('of an event or a conversation, with every other filter', async () => {
    const first = stored[1];
    const eventId = first?.eventId.toHexString();
    const id = first?._id.toHexString();
    for (const more of [
      '',
      '&error=http_500',
      '&responseStatus=500',
      '&status=failed&event=conversion.recorded',
    ])
      expect(idsOf(await list(`?eventId=${eventId}${more}`))).toEqual([id]);
    for (const more of ['&error=timeout', '&responseStatus=200', '&text=nowhere', `&since=${at(2)}`])
      expect(await list(`?eventId=${eventId}${more}`)).toEqual([]);
    expect(await list(`?eventId=${eventId}`, other)).toEqual([]);
    expect(idsOf(await list(`?eventId=${eventId}&conversationId=${CONVERSATION}`))).toEqual([id]);
    expect(
      await list(`?eventId=${stored[40]?.eventId.toHexString()}&conversationId=${CONVERSATION}`),
    ).toEqual([]);
    expect(await list(`?eventId=${'f'.repeat(24)}`)).toEqual([]);

    const ofConversation = expected((_, index) => index < 30);
    expect(idsOf(await listAll(`, conversationId: "${CONVERSATION}"`))).toEqual(ofConversation);
    expect(idsOf(await listAll(`, conversationId: "${CONVERSATION}"`, endpoint.id))).toEqual(ofConversation);
    expect(idsOf(await list(`?conversationId=${CONVERSATION}&responseStatus=200`))).toEqual(
      expected(({ responseStatus }, index) => index < 30 && responseStatus === 200),
    );
    const start = await ask(`?conversationId=${CONVERSATION}&limit=20`);
    const rest = await list(`?conversationId=${CONVERSATION}&limit=20&cursor=${start.body.nextCursor}`);
    expect(idsOf([...(start.body.data as unknown as Row[]), ...rest])).toEqual(ofConversation);
    expect((await ask(`?limit=20&cursor=${start.body.nextCursor}`)).status).toBe(422);
  });

  test('by a text in the payload, as a value and as JSON, in whatever case', async () => {
    const with7 = expected((_, index) => index === 7);
    for (const text of ['order "7"', 'Order \\"7\\" é', '"note":"Order \\"7\\"'])
      expect(idsOf(await list(`?conversationId=${CONVERSATION}&text=${encodeURIComponent(text)}`))).toEqual(
        with7,
      );
    expect(await list(`?conversationId=${CONVERSATION}&text=${encodeURIComponent('.*')}`)).toEqual([]);
    const long = encodeURIComponent('é'.repeat(200));
    const { status } = await ask(`?conversationId=${CONVERSATION}&text=${long}`);
    expect(status).toBe(200);
  });

  test('by a text in the payload of any event, with other filters, page by page', async () => {
    expect(idsOf(await list(`?text=${encodeURIComponent('order "7"')}`))).toEqual(
      expected((_, index) => index === 7),
    );
    // Older than the first 200 deliveries: the third read finds it.
    expect(idsOf(await listAll(String.raw`, text: "ORDER \"42\""`))).toEqual(
      expected((_, index) => index === 42),
    );
    expect(await list(`?text=${encodeURIComponent('order "42"')}`)).toEqual([]);
    expect(idsOf(await list(`?text=order&responseStatus=500&since=${at(9)}`))).toEqual(
      expected(({ responseStatus }, index) => index >= 9 && index < 30 && responseStatus === 500),
    );
    expect(idsOf(await list('?text=order&status=succeeded'))).toEqual(
      expected(({ status }, index) => index < 30 && status === 'succeeded'),
    );
    expect(await list('?text=order&event=handoff.requested')).toEqual([]);
    const start = await ask('?text=order&limit=20');
    const rest = await list(`?text=order&limit=20&cursor=${start.body.nextCursor}`);
    expect(idsOf([...(start.body.data as unknown as Row[]), ...rest])).toEqual(
      expected((_, index) => index < 30),
    );
    const foreign = await app.newTenant();
    const none = await app.graphql(
      '{ webhookDeliveries(text: "order") { edges { cursor } } }',
      {},
      foreign.read,
    );
    expect(none.body.data).toEqual({ webhookDeliveries: { edges: [] } });
  });

  test('by a text among the newest 5,000 deliveries, or those of a time range', async () => {
    const { read, customerId } = await app.newTenant();
    const count = 5_000;
    const start = app.clock.now().getTime() - (count + 1) * 1_000;
    const events = Array.from({ length: count + 1 }, (_, index) => ({
      _id: newObjectId(new Date(start + index * 1_000)),
      ...{ customerId, event: 'conversion.recorded' as const, createdAt: new Date(start + index * 1_000) },
      payload: JSON.stringify({ data: { note: index < 2 ? `Invoice ${index}` : '' } }),
    }));
    await app.models.Event.insertMany(events);
    await app.models.Delivery.insertMany(
      events.map(({ _id: eventId, event, createdAt }) => {
        const created = { _id: newObjectId(createdAt), customerId, endpointId: endpoint.id, eventId, event };
        const state = { status: 'succeeded', attempt: 1, lane: 'inline', finishedAt: createdAt } as const;
        return newDelivery(created, state, createdAt);
      }),
    );
    const found = async (filter: string): Promise<string[]> => {
      const { body } = await app.graphql(
        `{ webhookDeliveries(text: "invoice" ${filter}) { edges { node { eventId } } } }`,
        {},
        read,
      );
      const page = body.data?.webhookDeliveries as unknown as { edges: { node: { eventId: string } }[] };
      return page.edges.map(({ node }) => node.eventId);
    };
    const [oldest, second] = events.map(({ _id }) => _id.toHexString());
    expect(await found('')).toEqual([second]);
    expect(await found(`until: "${new Date(start + 60_000).toISOString()}"`)).toEqual([second, oldest]);
  });

  test.each([
    ['?error=timeout&responseStatus=500', ['responseStatus']],
    ['?error=timeout&event=conversion.recorded', ['event']],
    ['?responseStatus=500&event=conversion.recorded', ['event']],
    ['?responseStatus=200', ['responseStatus']],
    ['?responseStatus=600', ['responseStatus']],
    ['?error=Time%20out', ['error']],
    ['?eventId=nope', ['eventId']],
    ['?conversationId=nope', ['conversationId']],
    ['?since=yesterday', ['since']],
    ['?eventId=&until=1', ['eventId', 'until']],
    [`?conversationId=${CONVERSATION}&text=`, ['text']],
    [`?conversationId=${CONVERSATION}&text=${'x'.repeat(201)}`, ['text']],
  ])('but %s is a 422', async (query, paths) => {
    const { status, body } = await ask(query);
    const details = body.error?.details as unknown as { path: string }[] | undefined;
    expect([status, details?.map(({ path }) => path).toSorted()]).toEqual([422, paths]);
  });
});

describe('a list of deliveries', () => {
  test.each([
    ['a time range', () => `?since=${at(2)}&until=${at(20)}`, 1],
    ['an error', () => '?error=timeout', 5],
    ['a response status', () => '?responseStatus=500&status=failed', 1],
    ['an event', () => `?eventId=${stored[1]?.eventId.toHexString()}`, 1],
  ])('of %s reads about as many keys as rows', async (_what, query, ranges) => {
    const queries = await recordQueries(app, 'webhookDeliveries', {
      'command.filter.customerId': tenant.customerId,
      'command.sort': { _id: -1 },
    });
    const rows = await list(`${query()}&limit=${PAGE}`);
    const [read, ...more] = await queries.stop();
    expect(more).toEqual([]);
    expect(rows.length).toBeGreaterThan(0);
    const { returned = 0, docsExamined, keysExamined } = read ?? {};
    // One row is outside of the time range, within its last second.
    expect(docsExamined).toBeLessThanOrEqual(returned + 1);
    expect(keysExamined).toBeLessThanOrEqual(returned + 2 * ranges);
  });
});
