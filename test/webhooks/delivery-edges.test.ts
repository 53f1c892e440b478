import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { startProfile } from '../support/profile.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { createEndpoint, listening, postConversion, type TestEndpoint } from './support.ts';

const ENDPOINTS = 3;
const CONVERSATIONS = 12;

interface Endpoint {
  id: number;
  url: string;
}
interface Delivery {
  id: string;
  event: string;
  endpointId: number;
  eventId: string;
  endpoint: Endpoint | null;
  sourceEvent: SourceEvent | null;
}
interface SourceEvent {
  id: string;
  event: string;
  payload: string;
  conversation: { id: string; visitorId: string } | null;
  conversionType: string | null;
  visitorId: string | null;
  deliveries: Delivery[];
}

let app: TestApp;
let tenant: TestTenant;
let receiver: Receiver;
const endpoints: TestEndpoint[] = [];

beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
  receiver = await startReceiver(200);
  const { url } = receiver;
  for (let i = 0; i < ENDPOINTS; i++) endpoints.push(await createEndpoint(app, tenant, { url }));
  for (let i = 0; i < CONVERSATIONS; i++) {
    const { id } = await ask<{ id: string }>(
      'mutation ($v: String!) { result: startConversation(input: { visitorId: $v }) { id } }',
      { v: `v_${i}` },
    );
    await ask('mutation ($id: ID!) { result: endConversation(conversationId: $id) { id } }', { id });
  }
  await eventually(
    async () =>
      (await app.models.Delivery.countDocuments({ customerId: tenant.customerId, status: 'succeeded' })) ===
      ENDPOINTS * CONVERSATIONS * 2,
  );
});
afterAll(async () => {
  await app.stop();
  await receiver.stop();
});

/** Executes an operation and returns its field `result`. */
async function ask<T>(text: string, variables: Record<string, unknown> = {}, key = tenant.write): Promise<T> {
  const { status, body } = await app.graphql(text, variables, key);
  expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined });
  return body.data?.result as T;
}

/** Runs a function and returns the commands that read data of the tenant meanwhile, as counts by collection. */
async function readsDuring(run: () => Promise<unknown>): Promise<Record<string, number>> {
  const profile = await startProfile(app.models.Event.db.db);
  await run();
  const commands = await profile.end();
  const operations = await commands
    .find({
      $or: [
        { 'command.filter.customerId': tenant.customerId },
        // Further batches of the same reads.
        { 'originatingCommand.filter.customerId': tenant.customerId },
      ],
    })
    .toArray();
  const counts: Record<string, number> = {};
  for (const { ns } of operations) {
    const collection = String(ns).slice(commands.dbName.length + 1);
    counts[collection] = (counts[collection] ?? 0) + 1;
  }
  return counts;
}

const edgesOf = <T>({ edges }: { edges: { node: T }[] }): T[] => edges.map(({ node }) => node);

describe('a delivery', () => {
  const QUERY = `query ($first: Int!) {
    result: webhookDeliveries(first: $first) { edges { node {
      id event endpointId eventId
      endpoint { id url }
      sourceEvent { id event payload conversation { id visitorId } conversionType visitorId deliveries { id endpointId endpoint { id } } }
    } } }
  }`;
  const list = async (first: number) =>
    edgesOf(await ask<{ edges: { node: Delivery }[] }>(QUERY, { first }, tenant.read));

  test('has its endpoint, its event, and the other deliveries of the event', async () => {
    const deliveries = await list(100);
    expect(deliveries).toHaveLength(ENDPOINTS * CONVERSATIONS * 2);
    for (const { endpointId, eventId, event, endpoint, sourceEvent } of deliveries) {
      expect(endpoint?.id).toBe(endpointId);
      expect(sourceEvent).toMatchObject({ id: eventId, event });
      const { data } = JSON.parse(sourceEvent?.payload ?? '{}');
      expect(sourceEvent).toMatchObject({
        conversation: { id: data.conversationId, visitorId: expect.stringMatching(/^v_/) },
        conversionType: null,
        visitorId: null,
      });
      expect(sourceEvent?.deliveries.map((other) => other.endpointId)).toEqual(endpoints.map(({ id }) => id));
      expect(sourceEvent?.deliveries.every((other) => other.endpoint?.id === other.endpointId)).toBe(true);
    }
  });

  // Interpreted at first, compiled later.
  test.each([1, 2, 50, 100, 100, 100])('reads each edge in one command, page of %i', async (first) => {
    expect(await readsDuring(() => list(first))).toEqual({
      webhookDeliveries: 1 + 1,
      webhookEvents: 1,
      conversations: 1,
      // One for the deliveries, one for those of the events.
      webhookEndpoints: 1 + 1,
    });
  });

  test('has no endpoint once it is deleted, and still has its event', async () => {
    const { tenant: owner, endpoint } = await listening(app);
    await postConversion(app, owner);
    await app.request('DELETE', endpoint.path, { key: owner.write });
    const [delivery] = edgesOf(await ask<{ edges: { node: Delivery }[] }>(QUERY, { first: 1 }, owner.read));
    expect(delivery).toMatchObject({
      endpoint: null,
      sourceEvent: {
        event: 'conversion.recorded',
        conversation: null,
        conversionType: 'demo_booked',
        visitorId: 'v_1',
      },
    });
  });

  test('has neither edge of another tenant, even with stored references to it', async () => {
    const { tenant: owner } = await listening(app);
    await postConversion(app, owner);
    const foreign = await app.models.Delivery.findOne({ customerId: tenant.customerId }).lean();
    await app.models.Delivery.updateOne(
      { customerId: owner.customerId },
      { eventId: foreign?.eventId, endpointId: 1_000_000 + owner.customerId },
    );
    const [delivery] = edgesOf(await ask<{ edges: { node: Delivery }[] }>(QUERY, { first: 1 }, owner.read));
    expect(delivery).toMatchObject({ endpoint: null, sourceEvent: null });
  });

  test('has no conversation of another tenant, nor one that was deleted', async () => {
    const { tenant: owner } = await listening(app);
    const EVENTS =
      '{ result: webhookEvents(first: 1) { edges { node { conversationId conversation { id } } } } }';
    const event = async () => edgesOf(await ask<{ edges: { node: object }[] }>(EVENTS, {}, owner.read))[0];
    await postConversion(app, owner);
    const foreign = await app.models.Conversation.findOne({ customerId: tenant.customerId }).lean();
    const conversationId = String(foreign?._id);
    await app.models.Event.updateOne({ customerId: owner.customerId }, { conversationId });
    expect(await event()).toEqual({ conversationId, conversation: null });
  });

  test('has the edges in a mutation and by its ID', async () => {
    const [{ id } = { id: '' }] = await list(1);
    const FIELDS = '{ id endpoint { id } sourceEvent { deliveries(first: 1) { id } } }';
    const wanted = { id, endpoint: { id: expect.any(Number) }, sourceEvent: { deliveries: [{}] } };
    expect(
      await ask(`query ($id: ID!) { result: webhookDelivery(id: $id) ${FIELDS} }`, { id }),
    ).toMatchObject(wanted);
    expect(
      await ask(`mutation ($id: ID!) { result: resendWebhookDelivery(id: $id) ${FIELDS} }`, { id }),
    ).toMatchObject(wanted);
  });
});

describe('an event of a conversation', () => {
  const QUERY = `query ($first: Int!, $deliveries: Int!) {
    result: conversations(first: $first) { edges { node {
      events { id event deliveries(first: $deliveries) { id eventId endpoint { id url } } }
    } } }
  }`;
  const list = async (first: number, deliveries = 2) =>
    edgesOf(
      await ask<{ edges: { node: { events: SourceEvent[] } }[] }>(QUERY, { first, deliveries }, tenant.read),
    );

  test('has its deliveries, up to the requested number', async () => {
    const conversations = await list(5, 2);
    for (const { events } of conversations) {
      expect(events.map(({ event }) => event)).toEqual(['conversation.started', 'conversation.ended']);
      for (const { id, deliveries } of events) {
        expect(deliveries.map(({ eventId }) => eventId)).toEqual([id, id]);
        expect(deliveries.map(({ endpoint }) => endpoint?.id)).toEqual(
          endpoints.slice(0, 2).map((endpoint) => endpoint.id),
        );
      }
    }
    const [
      {
        events: [event],
      } = { events: [] },
    ] = await list(1, 30);
    expect(event?.deliveries).toHaveLength(ENDPOINTS);
  });

  test.each([1, 4, CONVERSATIONS])(
    'reads the edges of %i conversations in one command each',
    async (first) => {
      const { webhookDeliveries, webhookEndpoints } = await readsDuring(() => list(first, 1));
      expect({ webhookDeliveries, webhookEndpoints }).toEqual({ webhookDeliveries: 1, webhookEndpoints: 1 });
    },
  );

  test.each([0, 51])('has no page of %i deliveries', async (deliveries) => {
    const { body } = await app.graphql(
      `{ conversations(first: 1) { edges { node { events { deliveries(first: ${deliveries}) { id } } } } } }`,
      {},
      tenant.read,
    );
    expect(body.errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED' } }]);
  });
});

describe('the cost of an operation', () => {
  const refusal = async (query: string) => {
    const { status, body } = await app.graphql(query, {}, tenant.read);
    return { status, message: String((body.errors as unknown as { message: string }[])?.[0]?.message) };
  };

  test('multiplies by the deliveries of an event', async () => {
    const query = (deliveries: number) =>
      `{ conversations(first: 2) { edges { node { events { deliveries(first: ${deliveries}) { id status } } } } } }`;
    expect((await refusal(query(10))).status).toBe(200);
    // 1 + 2 x (5 + 100 x (1 + 50 x 2))
    expect(await refusal(query(50))).toEqual({
      status: 400,
      message: 'Query cost 20211 exceeds the maximum of 20000; request fewer rows or fields.',
    });
  });

  test('counts endpoints, events and their payloads', async () => {
    const nested = 'endpoint { id url } sourceEvent { payload }';
    // 1 + 100 x 50 x (3 + 9)
    const { message } = await refusal(
      `{ webhookEndpoints(first: 100) { edges { node { deliveries(first: 50) { edges { node { ${nested} } } } } } } }`,
    );
    expect(message).toMatch(/^Query cost 60\d{3} exceeds/);
  });
});
