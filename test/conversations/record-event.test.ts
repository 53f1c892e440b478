import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { plainRows } from '../support/decrypted.ts';
import { recordedEvents } from '../support/recorded-events.ts';
import { apply, CALLS, retrieve, STATUSES, startConversation, timeline } from './support.ts';

/** Assignment of events of `POST /v1/events` and `recordEvent` to conversations, and its effects. */
let app: TestApp;
let tenant: TestTenant;
beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
});
afterAll(() => app.stop());

interface Recorded {
  id: string;
  conversation_id: string | null;
}

const post = (body: Record<string, unknown>, key = tenant.write) =>
  app.request('POST', '/v1/events', { key, body: { type: 'conversion', goal: 'signed_up', ...body } });

async function accepted(body: Record<string, unknown>): Promise<Recorded> {
  const answer = await post(body);
  expect(answer.status).toBe(201);
  return answer.body as unknown as Recorded;
}

/** The event documents that name no conversation, or this one. */
const eventsWith = async (conversionEventId: string) => {
  const events = await plainRows(app, app.models.Event.find({ customerId: tenant.customerId }));
  return events
    .map(({ payload }) => JSON.parse(payload))
    .filter(({ data }) => data.conversionEventId === conversionEventId);
};

let visitors = 0;
const newVisitor = () => {
  visitors += 1;
  return `visitor_${visitors}`;
};

describe('a conversion', () => {
  test.each(STATUSES)(
    'marks the named conversation, which is %s, as converted and sets its goal',
    async (status) => {
      const visitor_id = newVisitor();
      const before = await startConversation(app, tenant, { visitorId: visitor_id, goal: 'old' }, status);
      const event = await accepted({ visitor_id, conversation_id: before.id, value: 7.5 });
      expect(event).toStrictEqual({
        id: expect.stringMatching(/^[0-9a-f]{24}$/),
        event_id: expect.stringMatching(/^[0-9a-f]{24}$/),
        type: 'conversion',
        goal: 'signed_up',
        visitor_id,
        suppressed: false,
        conversation_id: before.id,
        value: 7.5,
        occurred_at: expect.any(String),
        created_at: expect.any(String),
      });
      expect(await retrieve(app, tenant, before.id)).toMatchObject({
        status,
        converted: true,
        goal: 'signed_up',
        ended_at: before.endedAt,
        conversion: { id: event.id, type: 'signed_up', goal: 'signed_up', value: 7.5 },
      });
      expect((await timeline(app, tenant, before.id)).at(-1)).toStrictEqual({
        event: 'conversion.recorded',
        data: {
          customerId: tenant.customerId,
          orgId: tenant.tenant.orgId,
          conversionEventId: event.id,
          conversationId: before.id,
          conversionType: 'signed_up',
          value: 7.5,
        },
        ts: expect.any(Number),
      });
    },
  );

  test("is assigned to the visitor's most recently started conversation", async () => {
    const visitorId = newVisitor();
    const newest = await startConversation(app, tenant, { visitorId });
    await startConversation(app, tenant, { visitorId, startedAt: '2026-01-01T00:00:00Z' });
    await startConversation(app, tenant, { visitorId: newVisitor() });
    const stranger = await app.newTenant();
    await startConversation(app, stranger, { visitorId });
    for (const body of [{}, { conversation_id: null }])
      expect(await accepted({ visitor_id: visitorId, ...body })).toMatchObject({
        conversation_id: newest.id,
        value: null,
      });
    expect((await timeline(app, tenant, newest.id)).map(({ event }) => event)).toEqual([
      'conversation.started',
      'conversion.recorded',
      'conversion.recorded',
    ]);
  });

  test('of a visitor without a conversation is assigned to none, and is emitted', async () => {
    const event = await accepted({ visitor_id: newVisitor() });
    expect(event.conversation_id).toBeNull();
    const [published] = await eventsWith(event.id);
    expect(published.data).toMatchObject({ conversationId: null, conversionType: 'signed_up', value: null });
  });

  test('is assigned by exact visitor id, whatever its characters', async () => {
    const ids = ['$visitorId', '$$ROOT', '$$NOPE', '$', '{"$gt":""}', 'a.b', 'null', 'ünï'];
    const started = await Promise.all(ids.map((visitorId) => startConversation(app, tenant, { visitorId })));
    const events = await Promise.all(ids.map((visitor_id) => accepted({ visitor_id })));
    expect(events.map((event) => event.conversation_id)).toEqual(started.map(({ id }) => id));
    const strangers = await app.newTenant();
    for (const visitor_id of ids)
      expect((await post({ visitor_id }, strangers.write)).body.conversation_id).toBeNull();
  });

  test('200 concurrent conversions are each assigned to their own conversation', async () => {
    const ids = Array.from({ length: 40 }, newVisitor);
    const started = await Promise.all(ids.map((visitorId) => startConversation(app, tenant, { visitorId })));
    const bodies = Array.from({ length: 200 }, (_, index) => ({ visitor_id: ids[index % 40] }));
    const events = await Promise.all(bodies.map(accepted));
    expect(events.map((event) => event.conversation_id)).toEqual(
      bodies.map((_, index) => started[index % 40]?.id),
    );
    expect(await timeline(app, tenant, started[0]?.id ?? '')).toHaveLength(6);
  });

  test('concurrent with a close: both succeed, and the event of the close matches what is stored', async () => {
    const visitorId = newVisitor();
    const { id } = await startConversation(app, tenant, { visitorId });
    await Promise.all([
      accepted({ visitor_id: visitorId }),
      apply(app, tenant, id, CALLS.closeConversation),
      accepted({ visitor_id: visitorId, conversation_id: id }),
    ]);
    expect(await retrieve(app, tenant, id)).toMatchObject({ status: 'closed', converted: true });
    const published = (await timeline(app, tenant, id)).map(({ event }) => event).sort();
    expect(published).toEqual([
      'conversation.ended',
      'conversation.started',
      'conversion.recorded',
      'conversion.recorded',
    ]);
  });
});

describe('an event of another type', () => {
  test('is stored with the named conversation, does not change it, and emits nothing', async () => {
    const visitor_id = newVisitor();
    const before = await startConversation(app, tenant, { visitorId: visitor_id });
    const event = { type: 'page.viewed', goal: 'pricing', visitor_id };
    expect(await accepted({ ...event, conversation_id: before.id })).toMatchObject({
      type: 'page.viewed',
      goal: 'pricing',
      conversation_id: before.id,
    });
    expect(await accepted(event)).toMatchObject({ conversation_id: null });
    expect(await retrieve(app, tenant, before.id)).toMatchObject({
      converted: false,
      goal: null,
      conversion: null,
    });
    expect(await timeline(app, tenant, before.id)).toHaveLength(1);
  });
});

describe('an invalid conversation reference', () => {
  test.each(['conversion', 'page.viewed'])(
    'of another visitor is a 422 at the field, for %s',
    async (type) => {
      const { id } = await startConversation(app, tenant, { visitorId: newVisitor() });
      const answer = await post({ type, visitor_id: newVisitor(), conversation_id: id });
      expect(answer).toMatchObject({
        status: 422,
        body: { error: { code: 'VALIDATION_FAILED', details: [{ path: 'conversation_id' }] } },
      });
      const input = { type, goal: 'g', visitorId: 'unknown', conversationId: id };
      const query = 'mutation($input: RecordEventInput!) { recordEvent(input: $input) { id } }';
      expect((await app.graphql(query, { input }, tenant.write)).body).toMatchObject({
        errors: [{ extensions: { code: 'VALIDATION_FAILED', details: [{ path: 'input.conversationId' }] } }],
      });
      expect(await retrieve(app, tenant, id)).toMatchObject({ converted: false });
    },
  );

  test('unknown, of another tenant or malformed is a 404, and nothing is recorded', async () => {
    const stranger = await app.newTenant();
    const visitorId = newVisitor();
    const foreign = await startConversation(app, stranger, { visitorId });
    const before = (await recordedEvents(app.models)).count;
    for (const conversation_id of [foreign.id, '0123456789abcdef01234567', 'garbage'])
      expect(await post({ visitor_id: visitorId, conversation_id })).toMatchObject({
        status: 404,
        body: { error: { code: 'NOT_FOUND' } },
      });
    expect((await recordedEvents(app.models)).count).toBe(before);
    expect(await timeline(app, stranger, foreign.id)).toHaveLength(1);
  });

  test.each(['', 'x'.repeat(501), 7, { $ne: null }])(
    'that is empty, too long or no text is a 422 (%#)',
    async (conversation_id) => {
      const { status, body } = await post({ visitor_id: 'v', conversation_id });
      expect(status).toBe(422);
      expect(body.error?.details).toMatchObject([{ path: 'conversation_id' }]);
    },
  );
});
