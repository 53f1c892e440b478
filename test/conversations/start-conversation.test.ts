import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { mutate, retrieve, startConversation, timeline } from './support.ts';

const HOUR = 3_600_000;
let app: TestApp;
let tenant: TestTenant;
beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
});
afterAll(() => app.stop());

const start = (input: Record<string, unknown>) =>
  mutate(app, tenant.write, 'startConversation(input: $input)', { input }, '$input: StartConversationInput!');

test('is active, empty and without an identity', async () => {
  const before = app.clock.now().getTime();
  const conversation = await startConversation(app, tenant, { visitorId: 'v_8f3a', goal: 'book_demo' });
  expect(conversation).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{24}$/),
    visitorId: 'v_8f3a',
    status: 'active',
    converted: false,
    goal: 'book_demo',
    startedAt: expect.any(String),
    endedAt: null,
    messageCount: 0,
    outcome: null,
  });
  expect(Date.parse(conversation.startedAt)).toBeGreaterThanOrEqual(before);
  expect(await retrieve(app, tenant, conversation.id)).toStrictEqual({
    id: conversation.id,
    visitor_id: 'v_8f3a',
    status: 'active',
    converted: false,
    goal: 'book_demo',
    started_at: conversation.startedAt,
    ended_at: null,
    transcript: [],
    identity: null,
    conversion: null,
  });
});

test('may have any start time in the past', async () => {
  for (const startedAt of [
    '2020-02-29T12:00:00.000Z',
    '1969-07-20T20:17:40.000Z',
    '0001-01-01T00:00:00.000Z',
  ])
    expect(await startConversation(app, tenant, { startedAt })).toMatchObject({
      startedAt,
      status: 'active',
    });
  const { conversation } = await start({ visitorId: 'v', startedAt: '2026-01-31T10:30:00+01:00' });
  expect(conversation?.startedAt).toBe('2026-01-31T09:30:00.000Z');
});

test('starts now if the clock of the client is up to a minute ahead', async () => {
  const now = app.clock.now().getTime();
  const startedAt = new Date(now + 59_000).toISOString();
  const { conversation } = await start({ visitorId: 'v', startedAt });
  expect(Date.parse(conversation?.startedAt ?? '')).toBeGreaterThanOrEqual(now);
  expect(Date.parse(conversation?.startedAt ?? '')).toBeLessThan(now + 59_000);
});

test('accepts any visitor id, and stores it unchanged', async () => {
  for (const visitorId of ['$where', '{"$ne":null}', ' ', 'ünï😀', '../x', 'x'.repeat(500)]) {
    const { id } = await startConversation(app, tenant, { visitorId });
    expect(await retrieve(app, tenant, id)).toMatchObject({ visitor_id: visitorId });
    const [started] = await timeline(app, tenant, id);
    expect(started?.data.visitorId).toBe(visitorId);
  }
});

describe('is rejected', () => {
  test('with a start in the future', async () => {
    const startedAt = new Date(app.clock.now().getTime() + HOUR).toISOString();
    expect(await start({ visitorId: 'v', startedAt })).toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ path: 'input.startedAt', message: 'Must not be in the future.' }],
    });
  });

  test.each([
    ['no visitor', {}, 'input.visitorId'],
    ['an empty visitor', { visitorId: '' }, 'input.visitorId'],
    ['a visitor of 501 characters', { visitorId: 'x'.repeat(501) }, 'input.visitorId'],
    ['an object as visitor', { visitorId: { $ne: null } }, 'input.visitorId'],
    ['half a character as visitor', { visitorId: '\ud83d' }, 'input.visitorId'],
    ['an empty goal', { visitorId: 'v', goal: '' }, 'input.goal'],
    ['a goal of 501 characters', { visitorId: 'v', goal: 'x'.repeat(501) }, 'input.goal'],
    ['a start that is no time', { visitorId: 'v', startedAt: 'yesterday' }, 'input.startedAt'],
    ['a start that is a number', { visitorId: 'v', startedAt: 1_700_000_000 }, 'input.startedAt'],
    ['a field that is not known', { visitorId: 'v', status: 'closed' }, 'input.status'],
  ])('with %s', async (_name, input, path) => {
    const { code, details } = await start(input);
    expect(code).toBe('VALIDATION_FAILED');
    expect(details.map((detail) => detail.path)).toEqual([path]);
  });
});
