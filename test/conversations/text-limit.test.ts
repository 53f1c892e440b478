import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseLine } from '../../src/features/conversations/import/import-line.ts';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { append, retrieve, startConversation } from './support.ts';

const MAX_TEXT = 32_768;
const MIB = 1024 * 1024;
/** As many messages with texts of the maximum length as one body holds. */
const full = (count: number, character = 'x') =>
  Array.from({ length: count }, () => ({ role: 'bot', text: character.repeat(MAX_TEXT) }));

let app: TestApp;
let tenant: TestTenant;
beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
});
afterAll(() => app.stop());

test('a conversation holds at most 4 MiB of text, also under concurrent requests', async () => {
  const { id } = await startConversation(app, tenant);
  for (let i = 0; i < 4; i++) expect((await append(app, tenant, id, full(31))).code).toBeNull();
  // Room for four more.
  const results = await Promise.all([1, 1, 1, 1, 1, 1].map((count) => append(app, tenant, id, full(count))));
  expect(results.map(({ code }) => code).filter((code) => code === null)).toHaveLength(4);
  expect(results.map(({ code }) => code).filter((code) => code === 'CONFLICT')).toHaveLength(2);
  const [message] = results.flatMap(({ message }) => message ?? []);
  expect(message).toBe('A conversation holds at most 4 MiB of text.');
  expect((await append(app, tenant, id, [{ role: 'bot', text: 'x' }])).code).toBe('CONFLICT');

  const { transcript } = await retrieve<{ transcript: { text: string }[] }>(app, tenant, id);
  expect(transcript).toHaveLength(128);
  expect(Buffer.byteLength(JSON.stringify(transcript))).toBeLessThan(5 * MIB);
});

test('escaped characters count at their encoded size', async () => {
  const { id } = await startConversation(app, tenant);
  // 192 KiB of JSON each; 31 would be 6 MiB.
  const codes: (string | null)[] = [];
  for (let i = 0; i < 7; i++) codes.push((await append(app, tenant, id, full(4, '\u0001'))).code);
  expect(codes).toEqual([null, null, null, null, null, 'CONFLICT', 'CONFLICT']);
  expect((await append(app, tenant, id, full(1, '\u0001'))).code).toBeNull();
});

const line = (count: number) =>
  Buffer.from(
    JSON.stringify({
      id: 'c1',
      visitor_id: 'v1',
      status: 'active',
      started_at: '2026-01-31T09:30:00Z',
      transcript: full(count).map((message) => ({ ...message, sent_at: '2026-01-31T09:30:00Z' })),
    }),
  );

test('an imported conversation has the same limit', () => {
  const now = new Date('2026-02-01T00:00:00Z');
  expect(parseLine(line(128), now).messages).toHaveLength(128);
  expect(() => parseLine(line(129), now)).toThrow('transcript: Must have at most 4 MiB of text.');
});

test('a line with too many messages is rejected before any of them is validated', () => {
  const bytes = Buffer.from(`{"transcript":[${'0,'.repeat(20_000)}0]}`);
  expect(() => parseLine(bytes, new Date())).toThrow(/transcript: Must have at most 10,000 messages\.$/);
});
