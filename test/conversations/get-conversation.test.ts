import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { append, apply, retrieve, startConversation, timeline } from './support.ts';

let app: TestApp;
let tenant: TestTenant;
beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
});
afterAll(() => app.stop());

test('over REST has the shape of the contract: transcript, identity and conversion', async () => {
  const { id, startedAt } = await startConversation(app, tenant, { visitorId: 'v_8f3a', goal: 'book_demo' });
  const sentAt = '2026-01-31T09:30:00.000Z';
  await append(app, tenant, id, [{ role: 'visitor', text: 'Hello', sentAt }]);
  await apply(
    app,
    tenant,
    id,
    'resolveIdentity(conversationId: $id, identity: { resolvedPersonId: "p_1", email: "a@example.com" })',
  );
  const { endedAt } = await apply(
    app,
    tenant,
    id,
    'recordConversion(conversationId: $id, input: { goal: "demo_booked", conversionType: "demo", value: 250, closes: true })',
  );
  const [recorded] = (await timeline(app, tenant, id)).flatMap(({ data }) => data.conversionEventId ?? []);
  expect(await retrieve(app, tenant, id)).toStrictEqual({
    id,
    visitor_id: 'v_8f3a',
    status: 'converted',
    converted: true,
    goal: 'demo_booked',
    started_at: startedAt,
    ended_at: endedAt,
    transcript: [
      { id: expect.stringMatching(/^[0-9a-f]{24}$/), role: 'visitor', text: 'Hello', sent_at: sentAt },
    ],
    identity: {
      person_id: 'p_1',
      email: 'a@example.com',
      first_name: null,
      last_name: null,
      company: null,
      job_title: null,
    },
    conversion: { id: recorded, type: 'demo', goal: 'demo_booked', value: 250, recorded_at: endedAt },
  });
});

test('over REST the list has the six fields of the specification for the same conversation', async () => {
  const { id, startedAt } = await startConversation(app, tenant, { visitorId: 'v_list' }, 'ended');
  const { body } = await app.request('GET', '/v1/conversations?limit=1', { key: tenant.read });
  expect(body).toStrictEqual({
    data: [
      { id, visitor_id: 'v_list', status: 'ended', converted: false, goal: null, started_at: startedAt },
    ],
    has_more: true,
  });
});

test.each(['?limit=1', '?x='])('over REST accepts no query parameters: %s', async (query) => {
  const { id } = await startConversation(app, tenant);
  const { status, body } = await app.request('GET', `/v1/conversations/${id}${query}`, { key: tenant.read });
  expect(status).toBe(422);
  expect(body.error?.details).toMatchObject([{ message: 'Unknown query parameter.' }]);
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('over REST is read-only: %s', async (method) => {
  const { id } = await startConversation(app, tenant);
  const answer = await app.request(method, `/v1/conversations/${id}`, { key: tenant.write, body: {} });
  expect(answer).toMatchObject({ status: 405, body: { error: { code: 'METHOD_NOT_ALLOWED' } } });
  expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
});
