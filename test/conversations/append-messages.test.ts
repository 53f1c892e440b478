import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { append, messages, mutate, retrieve, STATUSES, startConversation, timeline } from './support.ts';

let app: TestApp;
let tenant: TestTenant;
beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
});
afterAll(() => app.stop());

interface Detail {
  transcript: { id: string; role: string; text: string; sent_at: string }[];
}

test('adds messages in the given order, regardless of their times, and emits no event', async () => {
  const { id } = await startConversation(app, tenant);
  const first = await append(app, tenant, id, [
    { role: 'visitor', text: 'Hello', sentAt: '2026-01-31T10:30:00+01:00' },
    { role: 'bot', text: ' ', sentAt: '2026-01-31T09:00:00Z' },
  ]);
  expect(first.conversation?.messageCount).toBe(2);
  const before = app.clock.now().getTime();
  const second = await append(app, tenant, id, [{ role: 'operator', text: 'line\nline\u0000😀' }]);
  expect(second.conversation).toMatchObject({ messageCount: 3, status: 'active', endedAt: null });
  const { transcript } = await retrieve<Detail>(app, tenant, id);
  expect(transcript).toStrictEqual([
    { id: expect.any(String), role: 'visitor', text: 'Hello', sent_at: '2026-01-31T09:30:00.000Z' },
    { id: expect.any(String), role: 'bot', text: ' ', sent_at: '2026-01-31T09:00:00.000Z' },
    { id: expect.any(String), role: 'operator', text: 'line\nline\u0000😀', sent_at: expect.any(String) },
  ]);
  expect(Date.parse(transcript[2]?.sent_at ?? '')).toBeGreaterThanOrEqual(before);
  expect(new Set(transcript.map((message) => message.id)).size).toBe(3);
  expect(await timeline(app, tenant, id)).toHaveLength(1);
});

test('accepts 500 messages at once, and a text of 32,768 characters', async () => {
  const { id } = await startConversation(app, tenant);
  expect((await append(app, tenant, id, messages(500))).conversation?.messageCount).toBe(500);
  const text = 'ü'.repeat(32_768);
  expect((await append(app, tenant, id, [{ role: 'bot', text }])).conversation?.messageCount).toBe(501);
  const { transcript } = await retrieve<Detail>(app, tenant, id);
  expect(transcript.at(-1)?.text).toBe(text);
});

test.each(STATUSES)('to a conversation that is %s succeeds only before its end', async (status) => {
  const { id } = await startConversation(app, tenant, {}, status);
  const { code, conversation } = await append(app, tenant, id, messages(2));
  const goesOn = status === 'active' || status === 'handed_off';
  expect(code).toBe(goesOn ? null : 'CONFLICT');
  if (goesOn) expect(conversation).toMatchObject({ status, messageCount: 2 });
  expect((await retrieve<Detail>(app, tenant, id)).transcript).toHaveLength(goesOn ? 2 : 0);
});

describe('is rejected, and adds no messages,', () => {
  test.each([
    ['no message', [], 'messages'],
    ['501 messages', messages(501), 'messages'],
    [
      'a text of 32,769 characters',
      [...messages(2), { role: 'bot', text: 'x'.repeat(32_769) }],
      'messages.2.text',
    ],
    ['an empty text', [{ role: 'bot', text: '' }], 'messages.0.text'],
    ['half a character', [{ role: 'bot', text: 'x\ud83d' }], 'messages.0.text'],
    ['a role that there is not', [...messages(1), { role: 'admin', text: 'x' }], 'messages.1.role'],
    ['no role', [{ text: 'x' }], 'messages.0.role'],
    ['a text that is an object', [{ role: 'bot', text: { $gt: '' } }], 'messages.0.text'],
    ['a time that is none', [{ role: 'bot', text: 'x', sentAt: 'now' }], 'messages.0.sentAt'],
    ['a field that is not known', [{ role: 'bot', text: 'x', seq: 7 }], 'messages.0.seq'],
  ])('with %s', async (_name, wrong, path) => {
    const { id } = await startConversation(app, tenant);
    const { code, details } = await append(app, tenant, id, wrong);
    expect(code).toBe('VALIDATION_FAILED');
    expect(details.map((detail) => detail.path)).toEqual([path]);
    expect((await retrieve<Detail>(app, tenant, id)).transcript).toEqual([]);
  });

  test('in literals as in variables', async () => {
    const { id } = await startConversation(app, tenant);
    const call = 'appendMessages(conversationId: $id, messages: [{ role: bot, text: "" }])';
    expect(await mutate(app, tenant.write, call, { id })).toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ path: 'messages.0.text' }],
    });
  });
});
