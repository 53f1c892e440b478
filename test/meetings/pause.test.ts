import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { eventually, type TestApp, type TestTenant } from '../support/app.ts';
import { fathomApi, from, meetingJson } from '../support/provider.ts';
import { BACKFILL, entriesOf, PAUSE, pause, RESUME, resume, startBackfill } from './backfill-support.ts';
import {
  API_KEY,
  CANCEL,
  CONNECT,
  type Connector,
  codeOf,
  connectedTenant,
  connectionOf,
  connector,
  DISCONNECT,
  ended,
  type Run,
  runsOf,
  startConnector,
  startSync,
  syncOf,
} from './support.ts';

const HOUR = 3_600_000;
const COUNT = 120;
const NEWEST = Date.parse('2026-11-01T00:00:00.000Z');
const meetings = Array.from({ length: COUNT }, (_, index) =>
  meetingJson(index, { newest: new Date(NEWEST) }),
);
const RANGE = { since: new Date(NEWEST - 1_000 * HOUR).toISOString() };
/** Longer than two intervals in which available runs are claimed. */
const CLAIM_MS = 2_500;

/** A backfill that is paused after its first page, while the second one is requested. */
async function pausedBackfill({ app, provider }: Connector, tenant: TestTenant): Promise<Run> {
  provider.behave(from(provider.requests.length + 1, 'hang'));
  const { id } = await startBackfill(app, tenant, RANGE);
  await eventually(async () => (await newest(app, tenant))?.pages === 1);
  // Stored in the background, so the entry of the pause could precede it.
  await eventually(async () => (await entriesOf(app, tenant, id)).some(({ type }) => type === 'page'));
  const paused = await pause(app, tenant);
  if (!paused) throw new Error('no sync was paused');
  provider.behave('well');
  return paused;
}

/** Waits until the log has exactly entries of these types: they are stored in the background. */
const expectEntries = (app: TestApp, tenant: TestTenant, id: string, types: string[]): Promise<true> =>
  eventually(async () => {
    expect((await entriesOf(app, tenant, id)).map(({ type }) => type)).toEqual(types);
    return true;
  });

const newest = async (app: TestApp, tenant: TestTenant): Promise<Run | undefined> =>
  (await runsOf(app, tenant)).edges[0]?.node;

describe.each([
  { name: 'the standard provider', start: () => startConnector({ meetings }) },
  {
    name: 'Fathom',
    start: () =>
      startConnector(
        { meetings, api: fathomApi({ limits: { light: 1_000, heavy: 1_000 }, pageSize: 50 }) },
        { RECORDER_PROVIDER: 'fathom' },
      ),
  },
])('a paused sync of $name', ({ start }) => {
  let on: Connector;
  beforeAll(async () => {
    on = await start();
  });
  afterAll(() => on.stop());
  afterEach(() => on.provider.behave('well'));

  test('stays at its checkpoint until it is resumed, and stores each meeting once', async () => {
    const { app, provider } = on;
    const tenant = await connectedTenant(app);
    const paused = await pausedBackfill(on, tenant);
    expect(paused).toMatchObject({
      status: 'paused',
      scope: 'range',
      pages: 1,
      stored: 50,
      finishedAt: null,
    });
    const requests = provider.requests.length;
    await sleep(CLAIM_MS);
    expect(provider.requests.length).toBe(requests);
    expect(await newest(app, tenant)).toEqual(paused);
    expect(await connectionOf(app, tenant)).toMatchObject({ lastRun: { status: 'paused', pages: 1 } });
    // Repetitions change nothing.
    expect(await pause(app, tenant)).toEqual(paused);

    expect(await resume(app, tenant)).toMatchObject({ id: paused.id, status: 'running' });
    const run = await ended(app, tenant, paused.id);
    expect(run).toMatchObject({ status: 'succeeded', pages: 3, fetched: COUNT, stored: COUNT, updated: 0 });
    expect(provider.requests.length - requests).toBe(2);
    await expectEntries(app, tenant, run.id, [
      'started',
      'page',
      'paused',
      'resumed',
      'claimed',
      'page',
      'page',
    ]);
  });

  test('is the only sync of its tenant, and of no other', async () => {
    const { app } = on;
    const [tenant, other] = [await connectedTenant(app), await connectedTenant(app)];
    const { id } = await pausedBackfill(on, tenant);
    expect(await startSync(app, tenant)).toMatchObject({ id, status: 'paused' });
    expect(await startBackfill(app, tenant, RANGE)).toMatchObject({ id, status: 'paused' });
    const refused = await app.graphql(BACKFILL, { fullResync: true }, tenant.write);
    expect(codeOf(refused)).toBe('CONFLICT');
    // Another tenant neither sees nor resumes it.
    expect([await pause(app, other), await resume(app, other)]).toEqual([null, null]);
    expect(await syncOf(app, other)).toMatchObject({ status: 'succeeded' });
    expect(await newest(app, tenant)).toMatchObject({ id, status: 'paused' });
    expect((await runsOf(app, tenant)).edges).toHaveLength(1);
  });

  test('can be cancelled, and the next sync starts', async () => {
    const { app } = on;
    const tenant = await connectedTenant(app);
    const { id } = await pausedBackfill(on, tenant);
    const { body } = await app.graphql(CANCEL, {}, tenant.write);
    expect(body.data?.cancelMeetingSync).toMatchObject({ id, status: 'cancelled', stored: 50 });
    expect(await resume(app, tenant)).toBeNull();
    expect(await syncOf(app, tenant)).toMatchObject({ status: 'succeeded', stored: COUNT - 50, updated: 50 });
  });

  test('is cancelled by a disconnect and by a new key', async () => {
    const { app } = on;
    for (const [query, variables] of [
      [DISCONNECT, {}],
      [CONNECT, { apiKey: `${API_KEY}_new` }],
    ] as const) {
      const tenant = await connectedTenant(app);
      await pausedBackfill(on, tenant);
      const { body } = await app.graphql(query, variables, tenant.write);
      expect(body.errors).toBeUndefined();
      expect(await newest(app, tenant)).toMatchObject({ status: 'cancelled' });
    }
  });
});

describe('pauseMeetingSync and resumeMeetingSync', () => {
  let on: Connector;
  beforeAll(async () => {
    on = await startConnector({ meetings });
  });
  afterAll(() => on.stop());
  afterEach(() => on.provider.behave('well'));

  test('return null without an unfinished sync', async () => {
    const tenant = await connectedTenant(on.app);
    expect([await pause(on.app, tenant), await resume(on.app, tenant)]).toEqual([null, null]);
    await syncOf(on.app, tenant);
    expect([await pause(on.app, tenant), await resume(on.app, tenant)]).toEqual([null, null]);
  });

  test('log one start of a sync that is paused before its first page', async () => {
    const tenant = await connectedTenant(on.app);
    on.provider.behave('hang');
    const { id } = await startBackfill(on.app, tenant, RANGE);
    await eventually(async () => (await entriesOf(on.app, tenant, id)).length === 1);
    expect(await pause(on.app, tenant)).toMatchObject({ id, status: 'paused', pages: 0 });
    on.provider.behave('well');
    await resume(on.app, tenant);
    expect(await ended(on.app, tenant, id)).toMatchObject({ status: 'succeeded', stored: COUNT });
    await expectEntries(on.app, tenant, id, [
      'started',
      'paused',
      'resumed',
      'claimed',
      'page',
      'page',
      'page',
    ]);
  });

  test('require an API key with the scope `write`', async () => {
    const tenant = await connectedTenant(on.app);
    for (const query of [PAUSE, RESUME])
      expect(codeOf(await on.app.graphql(query, {}, tenant.read))).toBe('FORBIDDEN');
  });

  test('leave one sync that stores each meeting once, however often they are sent', async () => {
    const tenant = await connectedTenant(on.app);
    on.provider.behave({ delayMs: 50 });
    const { id } = await startBackfill(on.app, tenant, RANGE);
    for (let i = 0; i < 12; i += 1) {
      await Promise.all([pause(on.app, tenant), resume(on.app, tenant), pause(on.app, tenant)]);
      await resume(on.app, tenant);
      await sleep(20);
    }
    const run = await ended(on.app, tenant, id);
    expect(run).toMatchObject({ status: 'succeeded', pages: 3, fetched: COUNT, stored: COUNT, updated: 0 });
    expect((await runsOf(on.app, tenant)).edges).toHaveLength(1);
  });
});

test('claims do not read the paused syncs of all tenants', async () => {
  const on = await connector({ meetings });
  const tenant = await connectedTenant(on.app);
  const { id } = await pausedBackfill(on, tenant);
  const { MeetingSyncRun } = on.app.models;
  const run = await MeetingSyncRun.findById(id).lean();
  await MeetingSyncRun.insertMany(
    Array.from({ length: 50 }, (_, index) => ({ ...run, _id: undefined, customerId: 900_000 + index })),
  );
  const { executionStats } = (await MeetingSyncRun.find({
    status: 'running',
    pausedAt: null,
    'lease.expiresAt': { $lte: on.app.clock.now() },
  })
    .sort({ _id: 1 })
    .explain('executionStats')) as unknown as { executionStats: { totalDocsExamined: number } };
  expect(executionStats.totalDocsExamined).toBe(0);
});

test('a scheduled sync that is due beside a paused one is left out, and the one after it reads what it missed', async () => {
  const on = await connector({ meetings }, { MEETING_SYNC_SCHEDULE: '1 hour' });
  const { app } = on;
  const tenant = await connectedTenant(app);
  const first = await syncOf(app, tenant);
  const { id } = await pausedBackfill(on, tenant);
  const nextSyncAt = async () => String((await connectionOf(app, tenant))?.nextSyncAt);
  const planned = await nextSyncAt();
  app.clock.advance(2 * HOUR);
  await eventually(async () => (await nextSyncAt()) > planned);
  expect((await runsOf(app, tenant)).edges).toHaveLength(2);
  await resume(app, tenant);
  expect(await ended(app, tenant, id)).toMatchObject({ status: 'succeeded' });
  expect(await connectionOf(app, tenant)).toMatchObject({ lastSyncAt: first.startedAt });
  app.clock.advance(2 * HOUR);
  const next = await eventually(async () => {
    const run = await newest(app, tenant);
    return run?.id !== id && run?.status === 'succeeded' && run;
  });
  expect(next).toMatchObject({ scope: 'incremental' });
  // It covers the day before the last success, and the last seven days, whose content may arrive late.
  const since = Date.parse(next.since);
  expect(since).toBe(Date.parse(next.startedAt) - 7 * 24 * HOUR - 1_000);
  expect(since).toBeLessThanOrEqual(Date.parse(first.startedAt) - 24 * HOUR);
});
