import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { apply, CALLS, MOVES, mutate, retrieve, STATUSES, startConversation, timeline } from './support.ts';

let app: TestApp;
let tenant: TestTenant;
beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
});
afterAll(() => app.stop());

const record = (id: string, input: Record<string, unknown>) =>
  mutate(
    app,
    tenant.write,
    'recordConversion(conversationId: $id, input: $input)',
    { id, input },
    '$id: ID!, $input: ConversionInput!',
  );

const eventsOf = async (id: string) => (await timeline(app, tenant, id)).map(({ event }) => event);

describe.each(STATUSES)('in a conversation that is %s', (status) => {
  test.each([undefined, false, null])(
    'a conversion that does not close it (%s) is recorded, and does not change the status',
    async (closes) => {
      const before = await startConversation(app, tenant, { goal: 'first' }, status);
      const { conversation } = await record(before.id, { goal: 'signed_up', closes });
      expect(conversation).toEqual({ ...before, converted: true, goal: 'signed_up' });
      const published = await timeline(app, tenant, before.id);
      expect(published.at(-1)).toMatchObject({
        event: 'conversion.recorded',
        data: { conversionType: 'signed_up', value: null },
      });
    },
  );

  test('a closing conversion follows the table of transitions', async () => {
    const before = await startConversation(app, tenant, {}, status);
    const published = await eventsOf(before.id);
    const { conversation, code } = await record(before.id, { goal: 'other_goal', closes: true });
    if (status === 'active' || status === 'handed_off') {
      expect(conversation).toMatchObject({ status: 'converted', converted: true, goal: 'other_goal' });
      expect(conversation?.endedAt).not.toBeNull();
      expect(await eventsOf(before.id)).toEqual([...published, 'conversion.recorded', 'conversation.ended']);
      return;
    }
    if (status === 'converted') expect(conversation).toEqual(before);
    else expect(code).toBe('CONFLICT');
    expect(await eventsOf(before.id)).toEqual(published);
    expect(await retrieve(app, tenant, before.id)).toMatchObject({
      goal: before.goal,
      converted: before.converted,
    });
  });
});

test('each has its own type and value, and REST returns the latest', async () => {
  const { id } = await startConversation(app, tenant);
  await record(id, { goal: 'demo_booked', conversionType: 'meeting', value: 12.5 });
  await record(id, { goal: 'demo_booked', conversionType: 'meeting', value: 12.5 });
  await record(id, { goal: 'signed_up', value: 0 });
  const published = (await timeline(app, tenant, id)).slice(1);
  expect(published.map(({ data }) => [data.conversionType, data.value])).toEqual([
    ['meeting', 12.5],
    ['meeting', 12.5],
    ['signed_up', 0],
  ]);
  const ids = published.map(({ data }) => data.conversionEventId);
  expect(new Set(ids).size).toBe(3);
  expect(await retrieve(app, tenant, id)).toMatchObject({
    converted: true,
    goal: 'signed_up',
    conversion: {
      id: ids[2],
      type: 'signed_up',
      goal: 'signed_up',
      value: 0,
      recorded_at: expect.any(String),
    },
  });
  const query = 'query($id: ID!) { conversation(id: $id) { conversions { id type goal value } } }';
  expect((await app.graphql(query, { id }, tenant.read)).body.data?.conversation?.conversions).toEqual([
    { id: ids[0], type: 'meeting', goal: 'demo_booked', value: 12.5 },
    { id: ids[1], type: 'meeting', goal: 'demo_booked', value: 12.5 },
    { id: ids[2], type: 'signed_up', goal: 'signed_up', value: 0 },
  ]);
});

test('a conversion after the end leaves the end unchanged, and a later close includes it', async () => {
  const { id, endedAt } = await startConversation(app, tenant, {}, 'ended');
  await apply(app, tenant, id, CALLS.recordConversion);
  expect(await apply(app, tenant, id, MOVES.close)).toMatchObject({ converted: true, endedAt });
  const ends = (await timeline(app, tenant, id)).filter(({ event }) => event === 'conversation.ended');
  expect(ends.map(({ data }) => [data.status, data.converted])).toEqual([
    ['ended', false],
    ['closed', true],
  ]);
});

test.each([
  ['no goal', {}, 'input.goal'],
  ['an empty goal', { goal: '' }, 'input.goal'],
  ['a goal of 501 characters', { goal: 'x'.repeat(501) }, 'input.goal'],
  ['a kind of 501 characters', { goal: 'g', conversionType: 'x'.repeat(501) }, 'input.conversionType'],
  ['an empty kind', { goal: 'g', conversionType: '' }, 'input.conversionType'],
  ['a value that is text', { goal: 'g', value: '12' }, 'input.value'],
  ['a flag that is text', { goal: 'g', closes: 'yes' }, 'input.closes'],
  ['a field that is not known', { goal: 'g', currency: 'EUR' }, 'input.currency'],
])('is rejected with %s', async (_name, input, path) => {
  const { id } = await startConversation(app, tenant);
  const { code, details } = await record(id, input);
  expect(code).toBe('VALIDATION_FAILED');
  expect(details.map((detail) => detail.path)).toEqual([path]);
  expect(await eventsOf(id)).toEqual(['conversation.started']);
});
