import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { activityService } from '../../src/features/activity/activity.service.ts';
import type { Tenant } from '../../src/features/tenants/tenants.types.ts';
import { newObjectId } from '../../src/platform/mongo/object-id.ts';
import { startApp, type TestApp } from '../support/app.ts';

const DAY_MS = 86_400_000;

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ DELIVERY_RETENTION: '10d' });
});
afterAll(() => app.stop());

test('`since` is limited by the retention, and the response returns the effective start', async () => {
  const { read } = await app.newTenant();
  const query = 'query ($since: DateTime!) { activity(since: $since) { since } }';
  const startOf = async (since: Date) =>
    Date.parse(String((await app.graphql(query, { since }, read)).body.data?.activity?.since));

  const yesterday = new Date(app.clock.now().getTime() - DAY_MS);
  expect(await startOf(yesterday)).toBe(yesterday.getTime());
  const oldest = await startOf(new Date(0));
  expect(Math.abs(app.clock.now().getTime() - 10 * DAY_MS - oldest)).toBeLessThan(60_000);
});

test('counts stop at 10,000, and only count the time range', async () => {
  const { read, customerId } = await app.newTenant();
  const now = app.clock.now();
  const event = (type: string, at: Date) => ({
    _id: newObjectId(at),
    customerId,
    event: type,
    payload: '{}',
    createdAt: at,
  });
  const old = new Date(now.getTime() - 2 * DAY_MS);
  await app.models.Event.collection.insertMany([
    ...Array.from({ length: 10_050 }, () => event('conversation.started', now)),
    ...Array.from({ length: 7 }, () => event('conversation.ended', now)),
    ...Array.from({ length: 5 }, () => event('conversation.ended', old)),
  ]);
  const { body } = await app.graphql(
    'query ($since: DateTime!) { activity(since: $since) { events { event count } } }',
    { since: new Date(now.getTime() - DAY_MS) },
    read,
  );
  const events = body.data?.activity?.events as unknown as { event: string; count: number }[];
  const counts = Object.fromEntries(events.map(({ event: type, count }) => [type, count]));
  expect(counts).toMatchObject({ 'conversation.started': 10_000, 'conversation.ended': 7 });
});

test('an operation may contain three activities, but not twenty', async () => {
  const { read } = await app.newTenant();
  const activities = (count: number) =>
    Array.from(
      { length: count },
      (_, i) =>
        `a${i}: activity(since: "1970-01-01T00:00:00Z") { events { count } deliveries { count } conversations { count } }`,
    ).join(' ');
  const few = await app.graphql(`{ ${activities(3)} }`, {}, read);
  expect(few.body.errors).toBeUndefined();
  const many = await app.graphql(`{ ${activities(20)} }`, {}, read);
  expect(many.status).toBe(400);
});

test('runs one count per customer at a time, and does not delay other customers', async () => {
  const running = new Map<number, number>();
  const gates = new Map<number, PromiseWithResolvers<void>>([
    [1, Promise.withResolvers()],
    [2, Promise.withResolvers()],
  ]);
  let most = 0;
  const count = async ({ customerId }: Tenant) => {
    running.set(customerId, (running.get(customerId) ?? 0) + 1);
    most = Math.max(most, running.get(customerId) ?? 0);
    await gates.get(customerId)?.promise;
    running.set(customerId, (running.get(customerId) ?? 0) - 1);
    return [customerId];
  };
  const activity = activityService({
    events: count,
    deliveries: count,
    conversations: count,
    clock: app.clock,
    retentionMs: DAY_MS,
  });
  const tenant = (customerId: number) => ({ customerId }) as Tenant;
  const busy = Array.from({ length: 50 }, () => activity.events(tenant(1), new Date()));
  const other = activity.deliveries(tenant(2), new Date());
  await turn();
  expect([running.get(1), running.get(2)]).toEqual([1, 1]);
  gates.get(2)?.resolve();
  expect(await other).toEqual([2]);
  gates.get(1)?.resolve();
  await Promise.all(busy);
  expect(most).toBe(1);
});
