import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newObjectId } from '../../src/platform/mongo/object-id.ts';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { runJob } from '../support/jobs.ts';
import { expectProtected, expectProtectedGraphQL } from '../support/protection.ts';
import { postConversion } from '../webhooks/support.ts';
import { act, conversionsOf, convert, feedPath, pull, pullAnswer } from './support.ts';

const EVENT_FEEDS = `{ eventFeeds { name cursor consumer heldUntil usedAt behind behindSince lost } }`;
const DELETE = `mutation ($name: String!) { deleteEventFeed(name: $name) { name cursor } }`;
const HOUR = 3_600_000;

interface ListedFeed {
  name: string;
  cursor: string;
  consumer: string | null;
  heldUntil: string;
  usedAt: string;
  behind: number;
  behindSince: string | null;
  lost: number;
}

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ DELIVERY_RETENTION: '1h' });
});
afterAll(() => app.stop());

const listPath = ({ customerId }: TestTenant) => `/api/v1/customers/${customerId}/event-feeds`;

async function listed(tenant: TestTenant): Promise<ListedFeed[]> {
  const { status, body } = await app.request('GET', listPath(tenant), { key: tenant.read });
  expect([status, body]).toMatchObject([200, { nextCursor: null, hasMore: false }]);
  return body.data as unknown as ListedFeed[];
}

const remove = (tenant: TestTenant, name?: string) =>
  app.request('DELETE', feedPath(tenant, name), { key: tenant.write });

describe('the list of event feeds', () => {
  test('requires authentication', async () => {
    const tenant = await app.newTenant();
    await expectProtected(app, { method: 'GET', path: listPath(tenant), scope: 'read' }, tenant);
    await expectProtectedGraphQL(app, EVENT_FEEDS, {}, []);
  });

  test('is empty for a customer without feeds, whose events are not numbered for it', async () => {
    const tenant = await app.newTenant();
    await convert(app, tenant, 1);
    expect(await listed(tenant)).toEqual([]);
    expect(await app.models.EventLog.findById(tenant.customerId)).toBeNull();
  });

  test('names each feed with its consumer, its position and how far that is behind', async () => {
    const tenant = await app.newTenant();
    const before = app.clock.now();
    await convert(app, tenant, 3);
    const { cursor } = await pull(app, tenant, '?consumer=worker-1&limit=2', 'warehouse');
    const usedAt = app.clock.now().toISOString();
    await act(app, tenant, { action: 'ack', name: 'warehouse', cursor, consumer: 'worker-1' });
    const last = await pull(app, tenant, '?consumer=worker-2', 'crm');
    await act(app, tenant, { action: 'ack', cursor: last.cursor, consumer: 'worker-2' });
    await act(app, tenant, { action: 'seek', name: 'spare', to: 'beginning' });
    const feeds = await listed(tenant);
    const held = new Date(Date.parse(usedAt) + 15_000).toISOString();
    expect(feeds).toMatchObject([
      { name: 'crm', cursor: last.cursor, consumer: 'worker-2', behind: 0, behindSince: null, lost: 0 },
      { name: 'spare', consumer: null, behind: 3, lost: 0 },
      { name: 'warehouse', cursor, consumer: 'worker-1', behind: 1, lost: 0 },
    ]);
    expect(Date.parse(feeds[2]?.heldUntil ?? '')).toBeGreaterThanOrEqual(Date.parse(held));
    expect(Date.parse(feeds[2]?.usedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(usedAt));
    for (const { behindSince } of feeds.slice(1))
      expect(Math.abs(Date.parse(String(behindSince)) - before.getTime())).toBeLessThan(60_000);
    const { body } = await app.graphql(EVENT_FEEDS, {}, tenant.read);
    expect(body.data?.eventFeeds).toEqual(feeds);
  });

  test('counts events that were accepted while no consumer pulled', async () => {
    const tenant = await app.newTenant();
    const now = app.clock.now();
    await app.models.EventFeed.create({
      ...{ _id: newObjectId(now), customerId: tenant.customerId, name: 'crm', sequence: 0 },
      ...{ expiresAt: now, usedAt: now },
    });
    await convert(app, tenant, 2);
    expect(await listed(tenant)).toMatchObject([{ name: 'crm', consumer: null, behind: 2 }]);
  });

  test('has the events that retention has removed as lost', async () => {
    const tenant = await app.newTenant();
    await convert(app, tenant, 3);
    await pull(app, tenant, '?consumer=a');
    app.clock.advance(HOUR + 61_000);
    await convert(app, tenant, 1);
    await pull(app, tenant, '?consumer=a');
    await runJob(app, 'webhooks.retention');
    expect(await listed(tenant)).toMatchObject([{ behind: 1, lost: 3 }]);
    expect((await pullAnswer(app, tenant, '?consumer=a')).status).toBe(410);
    await act(app, tenant, { action: 'seek', to: 'beginning', consumer: 'a' });
    expect(await listed(tenant)).toMatchObject([{ behind: 1, lost: 0 }]);
  });

  test('has no feeds of another customer', async () => {
    const [one, other] = [await app.newTenant(), await app.newTenant()];
    await pull(app, one);
    expect(await listed(other)).toEqual([]);
    const asAdmin = await app.request('GET', listPath(one), { key: app.admin });
    expect(asAdmin.body.data).toHaveLength(1);
  });
});

describe('deleting an event feed', () => {
  test('requires authentication', async () => {
    const tenant = await app.newTenant();
    await pull(app, tenant);
    await expectProtected(app, { method: 'DELETE', path: feedPath(tenant), scope: 'write' }, tenant);
    await expectProtectedGraphQL(app, DELETE, { name: 'crm' }, [tenant.read]);
    expect(await listed(tenant)).toHaveLength(1);
  });

  test('returns its last position, from which a feed of that name can continue', async () => {
    const tenant = await app.newTenant();
    const ids = await convert(app, tenant, 3);
    const { cursor } = await pull(app, { ...tenant, read: tenant.write }, '?limit=2');
    await act(app, tenant, { action: 'ack', cursor });
    const { status, body } = await remove(tenant);
    expect([status, body]).toMatchObject([200, { name: 'crm', cursor }]);
    expect(await listed(tenant)).toEqual([]);
    expect((await remove(tenant)).status).toBe(404);
    expect(conversionsOf(await pull(app, tenant, '?consumer=a'))).toEqual(ids);
    await act(app, tenant, { action: 'seek', to: cursor, consumer: 'a' });
    expect(conversionsOf(await pull(app, tenant, '?consumer=a'))).toEqual(ids.slice(2));
  });

  test('is refused while another consumer holds it', async () => {
    const tenant = await app.newTenant();
    await pull(app, tenant, '?consumer=worker-1');
    const { status, body } = await remove(tenant);
    expect([status, body.error?.code, body.error?.message]).toEqual([
      409,
      'CONFLICT',
      expect.stringMatching(/worker-1 until \d{4}-/),
    ]);
    app.clock.advance(16_000);
    const { body: answer } = await app.graphql(DELETE, { name: 'crm' }, tenant.write);
    expect(answer.data?.deleteEventFeed).toMatchObject({ name: 'crm' });
  });

  test('does not concern a feed of another customer', async () => {
    const [one, other] = [await app.newTenant(), await app.newTenant()];
    await pull(app, one);
    app.clock.advance(16_000);
    expect((await remove(other)).status).toBe(404);
    expect(await listed(one)).toHaveLength(1);
  });

  test('ends the publication of custom events that only this feed named', async () => {
    const tenant = await app.newTenant();
    const signUp = () => postConversion(app, tenant, { type: 'signup', goal: null });
    await pull(app, { ...tenant, read: tenant.write }, '?type=custom.signup');
    expect((await signUp()).event_id).not.toBeNull();
    await remove(tenant);
    expect((await signUp()).event_id).toBeNull();
  });

  test('is done once by concurrent requests', async () => {
    const tenant = await app.newTenant();
    await act(app, tenant, { action: 'seek', to: 'end' });
    const answers = await Promise.all(Array.from({ length: 5 }, () => remove(tenant)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404, 404]);
  });
});
