import { expect, onTestFinished, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { plainRows } from '../support/decrypted.ts';
import { apply, MOVES, startConversation } from './support.ts';

test('events of a conversation have ascending ids, also where the clock of a later process is behind', async () => {
  const app = await startApp();
  onTestFinished(() => app.stop());
  const tenant = await app.newTenant();
  const { id, visitorId } = await startConversation(app, tenant, { visitorId: 'v_1' });
  const record = async (more: object) => {
    const body = { type: 'conversion', goal: 'demo_booked', visitor_id: visitorId, ...more };
    expect((await app.request('POST', '/v1/events', { key: tenant.write, body })).status).toBe(201);
  };
  for (let value = 1; value <= 6; value += 1) {
    app.clock.advance(-20);
    // The visitor's newest conversation, or the one that is named.
    await record(value % 2 ? { value } : { value, conversation_id: id });
  }
  app.clock.advance(-1_000);
  await apply(app, tenant, id, MOVES.close);
  const events = await plainRows(app, app.models.Event.find({ conversationId: id }).sort({ _id: 1 }));
  expect(events.map(({ event, payload }) => JSON.parse(payload).data.value ?? event)).toEqual([
    'conversation.started',
    1,
    2,
    3,
    4,
    5,
    6,
    'conversation.ended',
  ]);
});
