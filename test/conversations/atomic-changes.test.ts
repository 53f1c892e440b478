import type { Collection } from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { createEndpoint } from '../webhooks/support.ts';
import { apply, CALLS, MOVES, mutate, retrieve, startConversation, timeline } from './support.ts';

/** A change and its event are stored together: the database rejects one of them, and stores neither. */
let app: TestApp;
let receiver: Receiver;
let tenant: TestTenant;
beforeAll(async () => {
  app = await startApp();
  receiver = await startReceiver();
  tenant = await app.newTenant();
  await createEndpoint(app, tenant, { url: receiver.url });
});
afterAll(async () => {
  await app.stop();
  await receiver.stop();
});

/** Lets the database reject documents of the collection that do not match `validator` while `work` runs. */
async function withValidator<T>(
  { conn, collectionName: collMod }: Collection,
  validator: object,
  work: () => Promise<T>,
): Promise<T> {
  await conn.db?.command({ collMod, validator });
  try {
    return await work();
  } finally {
    await conn.db?.command({ collMod, validator: {} });
  }
}

test('an event that cannot be stored leaves the conversation unchanged, and is not sent', async () => {
  const { id } = await startConversation(app, tenant, {}, 'converted');
  const before = await retrieve(app, tenant, id);
  const { collection } = app.models.Event;
  await collection.createIndex({ conversationId: 1, event: 1 }, { unique: true, name: 'once' });
  try {
    const refused = await mutate(app, tenant.write, CALLS.closeConversation, { id });
    expect(refused).toMatchObject({ code: 'INTERNAL', message: 'Internal error.' });
    expect(await retrieve(app, tenant, id)).toEqual(before);
  } finally {
    await collection.dropIndex('once');
  }

  expect(await apply(app, tenant, id, CALLS.closeConversation)).toMatchObject({ status: 'closed' });
  await receiver.waitFor(4);
  const sent = receiver.received.map(({ envelope: { event, data } }) =>
    [event, data.status].join(' ').trim(),
  );
  expect(sent.sort()).toEqual([
    'conversation.ended closed',
    'conversation.ended converted',
    'conversation.started',
    'conversion.recorded',
  ]);
});

test('a change that cannot be stored leaves no event, record or message', async () => {
  const { id } = await startConversation(app, tenant);
  const validator = { messageCount: 0, status: 'active', converted: false, identity: null, outcome: null };
  await withValidator(app.models.Conversation.collection, validator, async () => {
    for (const call of [...Object.values(CALLS), MOVES.convert].filter(
      (one) => one !== CALLS.recordResolution,
    ))
      expect((await mutate(app, tenant.write, call, { id })).code).toBe('INTERNAL');
  });

  expect((await timeline(app, tenant, id)).map(({ event }) => event)).toEqual(['conversation.started']);
  expect(await retrieve(app, tenant, id)).toMatchObject({
    status: 'active',
    transcript: [],
    conversion: null,
  });
  const query = 'query($id: ID!) { conversation(id: $id) { conversions { id } handoffs { id } } }';
  expect((await app.graphql(query, { id }, tenant.read)).body.data).toEqual({
    conversation: { conversions: [], handoffs: [] },
  });
});

test('an event without a change whose delivery cannot be stored is not stored either', async () => {
  const { Event, Delivery } = app.models;
  const { customerId, write: key } = tenant;
  const before = await Event.countDocuments({ customerId });
  const validator = { event: { $ne: 'conversion.recorded' } };
  const body = { type: 'conversion', goal: 'refused_goal', visitor_id: 'v_1' };
  const refused = await withValidator(Delivery.collection, validator, () =>
    app.request('POST', '/v1/events', { key, body }),
  );

  expect(refused.status).toBe(500);
  expect(await Event.countDocuments({ customerId })).toBe(before);
  expect(receiver.received.filter(({ envelope }) => envelope.data.conversionType === 'refused_goal')).toEqual(
    [],
  );
});
