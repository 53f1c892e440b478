import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { createEndpoint, type TestEndpoint } from '../webhooks/support.ts';
import {
  apply,
  CALLS,
  type Envelope,
  MOVES,
  type Move,
  mutate,
  STATUSES,
  startConversation,
  timeline,
} from './support.ts';

let app: TestApp;
let receiver: Receiver;
let tenant: TestTenant;
let endpoint: TestEndpoint;
beforeAll(async () => {
  app = await startApp();
  receiver = await startReceiver();
  tenant = await app.newTenant();
  endpoint = await createEndpoint(app, tenant, { url: receiver.url });
});
afterAll(async () => {
  await app.stop();
  await receiver.stop();
});

const ID = /^[0-9a-f]{24}$/;

const receivedOf = (id: string): Envelope[] =>
  receiver.received.map(({ envelope }) => envelope).filter(({ data }) => data.conversationId === id);

/** All that the receiver gets of a conversation, once as much has come as was recorded. */
async function allReceived(id: string): Promise<Envelope[]> {
  const recorded = await timeline(app, tenant, id);
  await eventually(async () => receivedOf(id).length >= recorded.length);
  expect(receivedOf(id)).toHaveLength(recorded.length);
  return recorded.map((envelope) => {
    expect(receivedOf(id)).toContainEqual(envelope);
    return envelope;
  });
}

test('a conversation emits each of its events once, in the shapes of the specification', async () => {
  const { id } = await startConversation(app, tenant, { visitorId: 'v_8f3a' });
  const steps: [call: string, event: string, data: Record<string, unknown>][] = [
    [
      `resolveIdentity(conversationId: $id, identity: { resolvedPersonId: "p_1", company: "Example Ltd",
        firstName: "Ada", lastName: "Byron", jobTitle: "Analyst", email: "ada@example.com" })`,
      'identity.resolved',
      {
        resolvedPersonId: 'p_1',
        company: 'Example Ltd',
        firstName: 'Ada',
        lastName: 'Byron',
        jobTitle: 'Analyst',
        email: 'ada@example.com',
      },
    ],
    [
      'resolveIdentity(conversationId: $id, identity: { resolvedPersonId: "p_2" })',
      'identity.resolved',
      {
        resolvedPersonId: 'p_2',
        company: null,
        firstName: null,
        lastName: null,
        jobTitle: null,
        email: null,
      },
    ],
    [
      'recordResolution(conversationId: $id, input: { resolvedPersonId: "p_2" })',
      'resolution.recorded',
      { resolutionEventId: expect.stringMatching(ID), resolvedPersonId: 'p_2', resolvedCompany: null },
    ],
    [
      'recordResolution(conversationId: $id, input: { resolvedCompany: "Example Ltd" })',
      'resolution.recorded',
      {
        resolutionEventId: expect.stringMatching(ID),
        resolvedPersonId: null,
        resolvedCompany: 'Example Ltd',
      },
    ],
    [
      'requestHandoff(conversationId: $id, input: { schemaName: "sales_call", urgency: urgent })',
      'handoff.requested',
      {
        escalationId: expect.stringMatching(ID),
        schemaName: 'sales_call',
        urgency: 'urgent',
        reason: null,
      },
    ],
    ['markOutcome(conversationId: $id, category: "qualified")', 'outcome.marked', { category: 'qualified' }],
    ['markOutcome(conversationId: $id, category: null)', 'outcome.marked', { category: null }],
    ['endConversation(conversationId: $id)', 'conversation.ended', { status: 'ended', converted: false }],
    ['closeConversation(conversationId: $id)', 'conversation.ended', { status: 'closed', converted: false }],
  ];
  const expected = [{ event: 'conversation.started', data: { visitorId: 'v_8f3a' } }];
  for (const [call, event, data] of steps) {
    await apply(app, tenant, id, call);
    // An operation without effect emits no event.
    if (event !== 'conversation.ended' || call.startsWith('close')) await apply(app, tenant, id, call);
    expected.push({ event, data: data as never });
  }
  const common = { customerId: tenant.customerId, orgId: tenant.tenant.orgId, conversationId: id };
  expect(await allReceived(id)).toStrictEqual(
    expected.map(({ event, data }) => ({ event, data: { ...common, ...data }, ts: expect.any(Number) })),
  );
  for (const { envelope } of receiver.received) {
    expect(Number.isInteger(envelope.ts)).toBe(true);
    expect(Math.abs(envelope.ts - Date.now() / 1000)).toBeLessThan(60);
  }
  expect(receiver.received.every((request) => receiver.verifies(request, endpoint.secret))).toBe(true);
});

test('closing after a bot conversion emits two end events: converted, then closed', async () => {
  const { id } = await startConversation(app, tenant);
  const conversion = `recordConversion(conversationId: $id, input: { goal: "demo_booked", conversionType: "demo", value: 99.5, closes: true })`;
  expect(await apply(app, tenant, id, conversion)).toMatchObject({ status: 'converted', converted: true });
  await apply(app, tenant, id, conversion);
  expect(await apply(app, tenant, id, CALLS.closeConversation)).toMatchObject({
    status: 'closed',
    converted: true,
  });
  await apply(app, tenant, id, CALLS.closeConversation);
  const common = { customerId: tenant.customerId, orgId: tenant.tenant.orgId, conversationId: id };
  const ts = expect.any(Number);
  expect(await allReceived(id)).toStrictEqual([
    { event: 'conversation.started', data: { ...common, visitorId: 'v_1' }, ts },
    {
      event: 'conversion.recorded',
      data: { ...common, conversionEventId: expect.stringMatching(ID), conversionType: 'demo', value: 99.5 },
      ts,
    },
    { event: 'conversation.ended', data: { ...common, status: 'converted', converted: true }, ts },
    { event: 'conversation.ended', data: { ...common, status: 'closed', converted: true }, ts },
  ]);
});

/** Contract 8, cell by cell: what a move makes of a conversation of that status. */
const TABLE: Record<string, Record<Move, string>> = {
  active: { requestHandoff: 'handed_off', end: 'ended', convert: 'converted', close: 'closed' },
  handed_off: { requestHandoff: 'repeats', end: 'ended', convert: 'converted', close: 'closed' },
  ended: { requestHandoff: 'CONFLICT', end: 'repeats', convert: 'CONFLICT', close: 'closed' },
  converted: { requestHandoff: 'CONFLICT', end: 'CONFLICT', convert: 'repeats', close: 'closed' },
  closed: { requestHandoff: 'CONFLICT', end: 'CONFLICT', convert: 'CONFLICT', close: 'repeats' },
};
const EVENTS: Record<Move, string[]> = {
  requestHandoff: ['handoff.requested'],
  end: ['conversation.ended'],
  convert: ['conversion.recorded', 'conversation.ended'],
  close: ['conversation.ended'],
};

describe.each(STATUSES)('a conversation that is %s', (status) => {
  test.each(Object.entries(TABLE[status] ?? {}) as [Move, string][])('%s: %s', async (move, becomes) => {
    const before = await startConversation(app, tenant, {}, status);
    const published = (await allReceived(before.id)).map(({ event }) => event);
    const { conversation, code } = await mutate(app, tenant.write, MOVES[move], { id: before.id });
    const after = (await allReceived(before.id)).map(({ event }) => event);
    if (becomes === 'CONFLICT') {
      expect(code).toBe('CONFLICT');
      expect(after).toEqual(published);
    } else if (becomes === 'repeats') {
      expect(conversation).toEqual(before);
      expect(after).toEqual(published);
    } else {
      expect(conversation?.status).toBe(becomes);
      expect(after).toEqual([...published, ...EVENTS[move]]);
    }
  });
});
