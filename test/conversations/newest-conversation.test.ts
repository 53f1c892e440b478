import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { startProfile } from '../support/profile.ts';
import { startConversation } from './support.ts';

const CONVERSATIONS = 30;
const VISITOR = 'v_returning';

let app: TestApp;
let tenant: TestTenant;
beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
});
afterAll(() => app.stop());

test('the newest conversation of a visitor is found by reading its document alone, however many there are', async () => {
  // The latest start is not the last one that is stored.
  const starts = Array.from({ length: CONVERSATIONS }, (_, index) => (index * 7) % CONVERSATIONS);
  const ids: string[] = [];
  for (const day of starts) {
    const startedAt = new Date(Date.UTC(2026, 0, 1 + day)).toISOString();
    ids[day] = (await startConversation(app, tenant, { visitorId: VISITOR, startedAt })).id;
  }
  const profile = await startProfile(app.models.Conversation.db.db);
  const { body } = await app.request('POST', '/v1/events', {
    key: tenant.write,
    body: { type: 'conversion', goal: 'demo_booked', visitor_id: VISITOR },
  });
  const commands = await profile.end();
  expect(body.conversation_id).toBe(ids.at(-1));
  const reads = await commands
    .find({ 'command.aggregate': 'conversations' })
    .project({ _id: 0, docsExamined: 1, keysExamined: 1 })
    .toArray();
  expect(reads).toEqual([{ docsExamined: 1, keysExamined: expect.any(Number) }]);
  // The key, and the one at which the index ends.
  expect(reads[0]?.keysExamined).toBeLessThanOrEqual(2);
});
