import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MeetingJson } from '../../src/demo/provider/meeting-json.ts';
import { createTenantLimits, NO_TENANT_LIMITS } from '../../src/limits/tenant-limits.ts';
import type { TenantRef } from '../../src/platform/tenant-ref.ts';
import { connectedTenant, connector, idsOf, meetingOf, syncOf } from '../meetings/support.ts';
import { type Answer, eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { freshDatabase } from '../support/databases.ts';
import { runJob } from '../support/jobs.ts';
import { readMetrics } from '../support/metrics.ts';
import { expectProtectedGraphQL } from '../support/protection.ts';
import { createEndpoint, endpointsPath } from '../webhooks/support.ts';

const START = `mutation ($input: StartConversationInput!) { startConversation(input: $input) { id } }`;
const USAGE = `{ usage {
  storedEvents { used limit } conversations { used limit } meetings { used limit }
  customEvents { used limit } endpoints { used limit }
} }`;
const DAY = 86_400_000;
const MAX = 3;

const limited = (label: string, remedy: string) =>
  `The customer has ${MAX} ${label}, which is the maximum; ${remedy}.`;
const CONVERSATIONS = limited('conversations', 'ask the operator of the service for more');

const start = (app: TestApp, tenant: TestTenant, visitorId = 'v_1') =>
  app.graphql(START, { input: { visitorId } }, tenant.write);
const conflict = (message: string) => ({ errors: [{ message, extensions: { code: 'CONFLICT' } }] });
const post = (app: TestApp, tenant: TestTenant, body: object): Promise<Answer> =>
  app.request('POST', '/v1/events', { key: tenant.write, body: { visitor_id: 'v_1', ...body } });
const usageOf = async (app: TestApp, tenant: TestTenant) =>
  (await app.graphql(USAGE, {}, tenant.read)).body.data?.usage;
const refusals = async (app: TestApp, resource: string) =>
  (await readMetrics(app)).value('engagement_tenant_limit_refusals_total', { resource });

describe('without settings', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.stop());

  test('usage is protected, also of the customer that an admin key names', async () => {
    await expectProtectedGraphQL(app, USAGE, {}, []);
    const tenant = await app.newTenant();
    await start(app, tenant);
    await post(app, tenant, { type: 'page.viewed' });
    await createEndpoint(app, tenant, { url: 'https://receiver.example.com' });
    const expected = {
      storedEvents: { used: 1, limit: null },
      conversations: { used: 1, limit: null },
      meetings: { used: 0, limit: null },
      customEvents: { used: 1, limit: null },
      endpoints: { used: 1, limit: 50 },
    };
    expect(await usageOf(app, tenant)).toEqual(expected);
    const named = { 'x-customer-id': String(tenant.customerId) };
    expect((await app.graphql(USAGE, {}, app.admin, named)).body).toEqual({ data: { usage: expected } });
    expect((await app.graphql(USAGE, {}, app.admin)).body).toMatchObject({
      errors: [{ extensions: { code: 'VALIDATION_FAILED', details: [{ path: 'X-Customer-Id' }] } }],
    });
    const neighbour = await app.newTenant();
    expect(await usageOf(app, neighbour)).toMatchObject({
      conversations: { used: 0 },
      endpoints: { used: 0 },
    });
  });

  test('the refusal of the 51st endpoint is counted', async () => {
    const tenant = await app.newTenant();
    const create = () =>
      app.request('POST', endpointsPath(tenant.customerId), {
        key: tenant.write,
        body: { url: 'https://receiver.example.com' },
      });
    for (let n = 0; n < 50; n += 1) expect((await create()).status).toBe(201);
    expect(await refusals(app, 'endpoints')).toBe(0);
    expect(await create()).toMatchObject({
      status: 409,
      body: {
        error: { message: 'The customer has 50 webhook endpoints, which is the maximum; delete one first.' },
      },
    });
    expect(await refusals(app, 'endpoints')).toBe(1);
    expect(await refusals(app, 'conversations')).toBe(0);
  });
});

describe('with settings', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ TENANT_MAX_CONVERSATIONS: String(MAX), TENANT_MAX_CUSTOM_EVENTS: String(MAX) });
  });
  afterAll(() => app.stop());

  test('the conversation beyond the limit is refused; a neighbour is not affected', async () => {
    const [tenant, neighbour] = [await app.newTenant(), await app.newTenant()];
    for (let n = 0; n < MAX; n += 1)
      expect((await start(app, tenant)).body.data?.startConversation).toBeTruthy();
    const before = (await refusals(app, 'conversations')) ?? 0;
    expect((await start(app, tenant)).body).toMatchObject(conflict(CONVERSATIONS));
    expect(await refusals(app, 'conversations')).toBe(before + 1);
    expect((await start(app, neighbour)).body.data?.startConversation).toBeTruthy();
    expect(await usageOf(app, tenant)).toMatchObject({
      conversations: { used: MAX, limit: MAX },
      storedEvents: { used: MAX, limit: null },
    });
  });

  test('concurrent creates do not exceed the limit within a process', async () => {
    const tenant = await app.newTenant();
    const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => start(app, tenant, `v_${n}`)));
    expect(answers.filter(({ body }) => !body.errors)).toHaveLength(MAX);
    expect(await app.models.Conversation.countDocuments({ customerId: tenant.customerId })).toBe(MAX);
  });

  test('a unit of work that is planned again counts once', async () => {
    const tenant = await app.newTenant();
    const count = ({ customerId }: TenantRef, limit: number) =>
      app.models.Conversation.countDocuments({ customerId }, { limit });
    const { conversations } = createTenantLimits({
      counts: {
        conversations: count,
        ...{ storedEvents: count, meetings: count, customEvents: count, endpoints: count },
      },
      maxima: { ...NO_TENANT_LIMITS, conversations: MAX },
      onRefusal: () => {},
      log: pino({ level: 'silent' }),
    });
    const plan = conversations?.reservation(tenant);
    await plan?.(2);
    await plan?.(2);
    expect(await conversations?.used(tenant)).toBe(2);
    await plan?.(MAX);
    await plan?.(1);
    expect(await conversations?.used(tenant)).toBe(MAX);
    await expect(conversations?.reservation(tenant)(1)).rejects.toThrow(CONVERSATIONS);
  });

  test('a repetition with the same Idempotency-Key gets its response, not the refusal', async () => {
    const tenant = await app.newTenant();
    const send = (key: string) =>
      app.request('POST', '/v1/events', {
        key: tenant.write,
        body: { type: 'page.viewed', visitor_id: 'v_1' },
        headers: { 'idempotency-key': key },
      });
    const answers = [];
    for (let n = 0; n < MAX; n += 1) answers.push(await send(`k_${n}`));
    expect((await send('k_other')).status).toBe(409);
    expect(await send('k_0')).toMatchObject({ status: answers[0]?.status, body: answers[0]?.body });
  });

  test('a custom event beyond the limit is refused, a conversion is not, and room is noticed', async () => {
    const tenant = await app.newTenant();
    for (let n = 0; n < MAX; n += 1)
      expect((await post(app, tenant, { type: 'page.viewed' })).status).toBeLessThan(300);
    const refused = await post(app, tenant, { type: 'page.viewed' });
    expect(refused).toMatchObject({
      status: 409,
      body: {
        error: {
          code: 'CONFLICT',
          message: limited('custom events', 'ask the operator of the service for more'),
        },
      },
    });
    expect((await post(app, tenant, { type: 'conversion', goal: 'demo' })).status).toBeLessThan(300);
    await app.models.PreviewEvent.deleteOne({ customerId: tenant.customerId });
    await eventually(async () => (await post(app, tenant, { type: 'page.viewed' })).status < 300, 60_000);
    expect((await post(app, tenant, { type: 'page.viewed' })).status).toBe(409);
  });
});

test('what other processes stored counts: before the first document, and within seconds', async () => {
  const env = { MONGODB_URI: freshDatabase(), TENANT_MAX_CONVERSATIONS: String(MAX) };
  const first = await startApp(env);
  const second = await startApp(env);
  try {
    const tenant = await first.newTenant();
    for (let n = 0; n < MAX - 1; n += 1) await start(first, tenant);
    // Counts before its first document, so it has room for one.
    expect((await start(second, tenant)).body.errors).toBeUndefined();
    expect((await start(second, tenant)).body).toMatchObject(conflict(CONVERSATIONS));
    // The first process does not know of that one until its next count.
    const started = await eventually(async () => {
      const { body } = await start(first, tenant);
      return body.errors && body;
    }, 60_000);
    expect(started).toMatchObject(conflict(CONVERSATIONS));
    const stored = await first.models.Conversation.countDocuments({ customerId: tenant.customerId });
    expect(stored).toBeGreaterThanOrEqual(MAX);
    expect(stored).toBeLessThanOrEqual(MAX + 1);
  } finally {
    await second.stop();
    await first.stop();
  }
});

test('beyond the limit of stored events, whatever publishes an event is refused', async () => {
  const app = await startApp({ TENANT_MAX_STORED_EVENTS: String(MAX), DELIVERY_RETENTION: '1d' });
  try {
    const [tenant, neighbour] = [await app.newTenant(), await app.newTenant()];
    const message = limited(
      'stored events',
      'wait until retention removes older ones, or ask the operator of the service for more',
    );
    const { body } = await start(app, tenant);
    const id = body.data?.startConversation?.id;
    for (let n = 1; n < MAX; n += 1)
      expect((await post(app, tenant, { type: 'conversion', goal: 'demo' })).status).toBeLessThan(300);
    const end = 'mutation ($id: ID!) { endConversation(conversationId: $id) { status } }';
    expect((await start(app, tenant)).body).toMatchObject(conflict(message));
    expect((await app.graphql(end, { id }, tenant.write)).body).toMatchObject(conflict(message));
    expect((await post(app, tenant, { type: 'conversion', goal: 'demo' })).status).toBe(409);
    expect((await post(app, tenant, { type: 'page.viewed' })).status).toBeLessThan(300);
    expect((await start(app, neighbour)).body.data?.startConversation).toBeTruthy();
    expect(await refusals(app, 'storedEvents')).toBe(3);

    app.clock.advance(2 * DAY);
    await runJob(app, 'webhooks.retention');
    await eventually(async () => !(await app.graphql(end, { id }, tenant.write)).body.errors, 60_000);
  } finally {
    await app.stop();
  }
});

test('a sync stores meetings up to the limit and fails with the bound; stored ones are still updated', async () => {
  const { app, provider } = await connector({ count: 5 }, { TENANT_MAX_MEETINGS: String(MAX) });
  const tenant = await connectedTenant(app);
  const error = {
    code: 'CONFLICT',
    message: limited('meetings', 'ask the operator of the service for more'),
  };
  expect(await syncOf(app, tenant)).toMatchObject({ status: 'failed', fetched: 5, stored: MAX, error });
  const stored = await idsOf(app, tenant);
  expect(stored).toHaveLength(MAX);
  const meetings = provider.meetings as unknown as MeetingJson[];
  for (const meeting of meetings) meeting.title = 'Renamed';
  expect(await syncOf(app, tenant)).toMatchObject({ status: 'failed', stored: 0, updated: MAX, error });
  expect(await idsOf(app, tenant)).toEqual(stored);
  for (const id of stored) expect(await meetingOf(app, tenant, id)).toMatchObject({ title: 'Renamed' });
  expect(await refusals(app, 'meetings')).toBe(2);

  const neighbour = await connectedTenant(app);
  meetings.splice(0, 3);
  expect(await syncOf(app, neighbour)).toMatchObject({ status: 'succeeded', stored: 2, error: null });
});

test('custom events are kept for CUSTOM_EVENT_RETENTION', async () => {
  const app = await startApp({ CUSTOM_EVENT_RETENTION: '365d' });
  try {
    const [tenant, neighbour] = [await app.newTenant(), await app.newTenant()];
    const listed = async ({ read }: TestTenant) =>
      ((await app.request('GET', '/v1/events', { key: read })).body.data as unknown as unknown[]).length;
    for (let n = 0; n < 300; n += 1) await post(app, tenant, { type: 'page.viewed' });
    await post(app, neighbour, { type: 'page.viewed' });
    app.clock.advance(364 * DAY);
    await post(app, tenant, { type: 'page.viewed' });
    await runJob(app, 'events.retention');
    expect(await app.models.PreviewEvent.countDocuments({})).toBe(302);
    app.clock.advance(2 * DAY);
    await runJob(app, 'events.retention');
    expect(await app.models.PreviewEvent.countDocuments({})).toBe(1);
    expect(await listed(tenant)).toBe(1);
    expect(await listed(neighbour)).toBe(0);
  } finally {
    await app.stop();
  }
});
