import { mongo } from 'mongoose';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/app.ts';
import { from } from '../support/provider.ts';
import {
  CANCEL,
  type Connector,
  connectedTenant,
  connectionOf,
  connector,
  idsOf,
  runsOf,
  startConnector,
  startSync,
  syncOf,
} from './support.ts';

const DAY = 24 * 60 * 60 * 1000;
const PAGE = 50;

let on: Connector;

beforeAll(async () => {
  on = await startConnector({ count: 120 });
});
afterAll(() => on.stop());
afterEach(() => on.provider.behave('well'));

describe('cancelMeetingSync', () => {
  test('ends the active sync at once, and keeps what it has stored', async () => {
    const tenant = await connectedTenant(on.app);
    on.provider.behave(from(on.provider.requests.length + 1, 'hang'));
    const { id } = await startSync(on.app, tenant);
    await eventually(async () => (await runsOf(on.app, tenant)).edges[0]?.node.pages === 1);
    const { body } = await on.app.graphql(CANCEL, {}, tenant.write);
    expect(body.data?.cancelMeetingSync).toMatchObject({ id, status: 'cancelled', pages: 1, stored: PAGE });
    expect(await idsOf(on.app, tenant)).toHaveLength(PAGE);
    // Another one can be started right away, and nothing of the old one comes in its way.
    on.provider.behave('well');
    expect(await syncOf(on.app, tenant)).toMatchObject({ status: 'succeeded', stored: 70, updated: 50 });
    expect((await runsOf(on.app, tenant)).edges.map(({ node }) => node.status)).toEqual([
      'succeeded',
      'cancelled',
    ]);
  });

  test('returns null if no sync is active', async () => {
    const tenant = await connectedTenant(on.app);
    const { body } = await on.app.graphql(CANCEL, {}, tenant.write);
    expect(body).toEqual({ data: { cancelMeetingSync: null } });
  });
});

describe('the schedule', () => {
  test('starts a sync for every connected tenant when it is due', async () => {
    const { app } = await connector({ count: 3 }, { MEETING_SYNC_SCHEDULE: '1 hour' });
    const tenants = [await connectedTenant(app), await connectedTenant(app)];
    app.clock.advance(60 * 60 * 1000 + 1_000);
    for (const tenant of tenants) {
      const run = await eventually(async () => {
        const [edge] = (await runsOf(app, tenant)).edges;
        return edge?.node.status === 'succeeded' && edge.node;
      });
      expect(run.stored).toBe(3);
      const connection = (await connectionOf(app, tenant)) as unknown as Record<string, string>;
      const next = Date.parse(connection.nextSyncAt ?? '') - Date.parse(run.startedAt);
      expect(next).toBeGreaterThanOrEqual(3_600_000);
      expect(next).toBeLessThan(3_605_000);
      expect((await runsOf(app, tenant)).edges).toHaveLength(1);
    }
  });

  test.each([
    ['before its sync is stored', 'insertOne', 'meetingSyncRuns'],
    ['after its sync is stored, before the next one is planned', 'updateOne', 'recorderConnections'],
  ] as const)(
    'starts one sync, and plans the next one, although it fails once %s',
    async (_when, write, of) => {
      const { app } = await connector({ count: 3 }, { MEETING_SYNC_SCHEDULE: '1 hour' });
      const tenant = await connectedTenant(app);
      const { prototype } = mongo.Collection;
      const original = prototype[write] as (...args: unknown[]) => unknown;
      onTestFinished(() => void Object.assign(prototype, { [write]: original }));
      let failures = 0;
      Object.assign(prototype, {
        [write](this: mongo.Collection, ...args: unknown[]) {
          if (this.collectionName !== of || failures > 0) return original.apply(this, args);
          failures += 1;
          throw new Error('The process has crashed.');
        },
      });
      app.clock.advance(60 * 60 * 1000 + 1_000);
      const run = await eventually(async () => {
        const [edge] = (await runsOf(app, tenant)).edges;
        return edge?.node.status === 'succeeded' && edge.node;
      });
      expect(failures).toBe(1);
      await eventually(async () => {
        const { nextSyncAt } = (await connectionOf(app, tenant)) as unknown as { nextSyncAt: string };
        return Date.parse(nextSyncAt) >= Date.parse(run.startedAt) + 60 * 60 * 1000;
      });
      expect((await runsOf(app, tenant)).edges).toHaveLength(1);
    },
  );

  test('starts and plans no sync if it is off', async () => {
    const tenant = await connectedTenant(on.app);
    expect(await connectionOf(on.app, tenant)).toMatchObject({ nextSyncAt: null });
    on.app.clock.advance(DAY);
    // Longer than the interval in which due syncs are claimed: none is started.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect((await runsOf(on.app, tenant)).edges).toEqual([]);
  });
});

test('syncs are paged, newest first', async () => {
  const tenant = await connectedTenant(on.app);
  const ids: string[] = [];
  for (let i = 0; i < 3; i += 1) ids.unshift((await syncOf(on.app, tenant)).id);
  const first = await runsOf(on.app, tenant, { first: 2 });
  expect(first.edges.map(({ node }) => node.id)).toEqual(ids.slice(0, 2));
  expect(first.pageInfo.hasNextPage).toBe(true);
  const second = await runsOf(on.app, tenant, { first: 2, after: first.pageInfo.endCursor });
  expect(second.edges.map(({ node }) => node.id)).toEqual(ids.slice(2));
  expect(second.pageInfo.hasNextPage).toBe(false);
});
