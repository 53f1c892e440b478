import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { registerAdapter } from '../../src/features/meetings/provider/adapters/adapter-registry.ts';
import { eventually } from '../support/app.ts';
import { fathomApi, meetingJson } from '../support/provider.ts';
import { acmeAdapter } from './acme-adapter/acme.ts';
import { acmeApi } from './acme-adapter/acme-api.ts';
import { BACKFILL, backfillOf, issuesOf, startBackfill } from './backfill-support.ts';
import {
  CANCEL,
  type Connector,
  codeOf,
  connectedTenant,
  connectionOf,
  connector,
  idsOf,
  meetingsOf,
  pagesAsked,
  runsOf,
  startConnector,
  startSync,
  syncOf,
} from './support.ts';

registerAdapter(acmeAdapter);

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Newest meeting; one an hour before it. */
const NEWEST = Date.parse('2026-11-01T00:00:00.000Z');
const COUNT = 240;
const meetings = Array.from({ length: COUNT }, (_, index) =>
  meetingJson(index, { newest: new Date(NEWEST) }),
);
/** Time of meeting `index`, which counts back from the newest. */
const at = (index: number, offsetMs = 0) => new Date(NEWEST - index * HOUR + offsetMs).toISOString();

const fathom = () =>
  startConnector(
    { meetings, api: fathomApi({ limits: { light: 1_000, heavy: 1_000 }, pageSize: 50 }) },
    { RECORDER_PROVIDER: 'fathom' },
  );

describe.each([
  { name: 'the standard provider', start: () => startConnector({ meetings }), queriesEnd: false },
  { name: 'Fathom', start: fathom, queriesEnd: true },
])('a chosen time range of $name', ({ start, queriesEnd }) => {
  let on: Connector;
  beforeAll(async () => {
    on = await start();
  });
  afterAll(() => on.stop());
  afterEach(() => on.provider.behave('well'));

  test('stores the meetings from `since` to before `until` alone', async () => {
    const tenant = await connectedTenant(on.app);
    const requests = on.provider.requests.length;
    // Meetings 60 to 179.
    const run = await backfillOf(on.app, tenant, { since: at(179), until: at(59) });
    expect(run).toMatchObject({ status: 'succeeded', scope: 'range', since: at(179), until: at(59) });
    expect(run).toMatchObject({ stored: 120, updated: 0, skipped: queriesEnd ? 0 : 60, rejected: 0 });
    expect(run.fetched).toBe(run.stored + run.skipped);
    expect(run).toMatchObject({ oldestMeetingAt: at(179), estimatedRemainingSeconds: null });
    expect(run.meetingsPerMinute).toBeGreaterThan(0);
    expect(on.provider.requests.length - requests).toBe(queriesEnd ? 3 : 4);
    const { edges } = await meetingsOf(on.app, tenant, { first: 100 });
    expect(edges[0]?.node.startedAt).toBe(at(60));
    expect((await runsOf(on.app, tenant)).edges).toHaveLength(1);
  });

  test('reads everything again as a full resync', async () => {
    const tenant = await connectedTenant(on.app);
    await backfillOf(on.app, tenant, { since: at(9), until: at(4) });
    expect(await connectionOf(on.app, tenant)).toMatchObject({ lastSyncAt: null });
    const run = await backfillOf(on.app, tenant, { fullResync: true });
    expect(run).toMatchObject({
      status: 'succeeded',
      scope: 'full',
      until: null,
      fetched: COUNT,
      skipped: 0,
    });
    expect(run).toMatchObject({ since: '1970-01-01T00:00:00.000Z', stored: COUNT - 5, updated: 5 });
    expect(await connectionOf(on.app, tenant)).toMatchObject({ lastSyncAt: run.startedAt });
  });

  test('leaves the next incremental sync as it was', async () => {
    const tenant = await connectedTenant(on.app);
    const first = await syncOf(on.app, tenant);
    expect(first).toMatchObject({ scope: 'incremental', until: null, stored: COUNT });
    on.app.clock.advance(2 * DAY);
    onTestFinished(() => on.app.clock.advance(-2 * DAY));
    for (const range of [{ since: at(100), until: at(50) }, { since: at(100) }]) {
      expect(await backfillOf(on.app, tenant, range)).toMatchObject({ status: 'succeeded' });
      expect(await connectionOf(on.app, tenant)).toMatchObject({ lastSyncAt: first.startedAt });
    }
    const next = await syncOf(on.app, tenant);
    expect(next.since).toBe(new Date(Date.parse(next.startedAt) - 7 * DAY - 1_000).toISOString());
  });

  test('that is running is returned for the same range; another one is a conflict', async () => {
    const [tenant, other] = [await connectedTenant(on.app), await connectedTenant(on.app)];
    on.provider.behave('hang');
    const range = { since: at(179), until: at(59) };
    const { id } = await startBackfill(on.app, tenant, range);
    expect(await startBackfill(on.app, tenant, range)).toMatchObject({ id, status: 'running' });
    // Without a range the running sync is returned, as ever.
    expect(await startSync(on.app, tenant)).toMatchObject({ id, scope: 'range' });
    for (const wanted of [
      { since: at(179) },
      { since: at(179), until: at(58) },
      { since: at(178), until: at(59) },
      { fullResync: true },
    ]) {
      const answer = await on.app.graphql(BACKFILL, wanted, tenant.write);
      expect(codeOf(answer)).toBe('CONFLICT');
      expect(JSON.stringify(answer.body)).toContain('another time range');
    }
    // It concerns its own tenant alone.
    expect(await startBackfill(on.app, other, { since: at(10) })).toMatchObject({ status: 'running' });
    for (const one of [tenant, other]) await on.app.graphql(CANCEL, {}, one.write);
    expect((await runsOf(on.app, tenant)).edges).toHaveLength(1);
  });
});

describe('the arguments of a chosen time range', () => {
  let on: Connector;
  beforeAll(async () => {
    on = await startConnector({ meetings });
  });
  afterAll(() => on.stop());

  const years = (count: number, offsetMs = 0) => {
    const date = new Date(Date.now() + offsetMs);
    date.setUTCFullYear(date.getUTCFullYear() - count);
    return date.toISOString();
  };
  test.each([
    { what: 'an end without a start', range: { until: at(1) }, path: 'since' },
    { what: 'an empty range', range: { since: at(1), until: at(1) }, path: 'until' },
    { what: 'an end before the start', range: { since: at(1), until: at(2) }, path: 'until' },
    { what: 'a start more than ten years ago', range: { since: years(10, -HOUR) }, path: 'since' },
    { what: 'the year 1', range: { since: '0001-01-01T00:00:00Z' }, path: 'since' },
    { what: 'a start in the future', range: { since: '2999-01-01T00:00:00Z' }, path: 'since' },
    { what: 'an end in the future', range: { since: at(1), until: years(0, HOUR) }, path: 'until' },
    { what: 'a full resync with a start', range: { fullResync: true, since: at(1) }, path: 'fullResync' },
    { what: 'no time', range: { since: 'yesterday' }, path: 'since' },
    { what: 'a number', range: { since: 1_700_000_000 }, path: 'since' },
    { what: 'an operator', range: { since: { $gt: '' } }, path: 'since' },
  ])('refuse $what', async ({ range, path }) => {
    const tenant = await connectedTenant(on.app);
    const answer = await on.app.graphql(BACKFILL, range, tenant.write);
    expect(codeOf(answer)).toBe('VALIDATION_FAILED');
    expect(issuesOf(answer)).toContainEqual(expect.objectContaining({ path }));
    expect((await runsOf(on.app, tenant)).edges).toEqual([]);
    expect(pagesAsked(on.provider, tenant)).toEqual([]);
  });

  test('accept ten years, a clock a little ahead, and a full resync that is not one', async () => {
    const tenant = await connectedTenant(on.app);
    for (const range of [
      { since: years(10, HOUR), until: years(0, 30_000) },
      { fullResync: false, since: null, until: null },
    ])
      expect(await backfillOf(on.app, tenant, range)).toMatchObject({ status: 'succeeded' });
  });

  test('require an API key with the scope `write`', async () => {
    const tenant = await connectedTenant(on.app);
    expect(codeOf(await on.app.graphql(BACKFILL, { since: at(1) }, tenant.read))).toBe('FORBIDDEN');
  });
});

test('a listing that is oldest first ends when it has passed the end of the range', async () => {
  const { app, provider } = await connector(
    { meetings: meetings.slice(0, 20), api: acmeApi },
    { RECORDER_PROVIDER: 'acme' },
  );
  const tenant = await connectedTenant(app);
  const before = provider.requests.length;
  // Of 20 meetings the oldest six, with two per page: the fourth page has passed the end.
  const run = await backfillOf(app, tenant, { since: at(19), until: at(13) });
  expect(run).toMatchObject({ status: 'succeeded', stored: 6, skipped: 2, pages: 4 });
  expect(provider.requests.length - before).toBe(4);
  expect((await idsOf(app, tenant)).sort()).toEqual(
    ['14', '15', '16', '17', '18', '19'].map((n) => `acme-m${n}`),
  );
});

test('a wrong creation time does not end a listing that is oldest first', async () => {
  const some = meetings.slice(0, 20).map((meeting, index) => ({
    ...meeting,
    created_at: index === 18 ? at(0) : meeting.created_at,
  }));
  const { app } = await connector({ meetings: some, api: acmeApi }, { RECORDER_PROVIDER: 'acme' });
  const tenant = await connectedTenant(app);
  const run = await backfillOf(app, tenant, { since: at(19), until: at(13) });
  expect(run).toMatchObject({ status: 'succeeded', stored: 5, skipped: 3, pages: 4 });
});

test('progress has an estimate against the range, in the run and while it lasts', async () => {
  const { app, provider } = await connector({ meetings });
  const tenant = await connectedTenant(app);
  const before = provider.requests.length;
  provider.behave((_request, index) => (index >= before + 3 ? 'hang' : { delayMs: 100 }));
  const started = await startBackfill(app, tenant, { since: at(199) });
  expect(started).toMatchObject({
    oldestMeetingAt: null,
    meetingsPerMinute: null,
    estimatedRemainingSeconds: null,
  });
  const run = await eventually(async () => {
    const [edge] = (await runsOf(app, tenant)).edges;
    return edge?.node.pages === 3 && edge.node;
  });
  // 149 of 199 hours are read: a third of the time so far remains.
  expect(run.oldestMeetingAt).toBe(at(149));
  const perMinute = run.meetingsPerMinute ?? 0;
  expect(perMinute).toBeGreaterThan(150);
  expect(perMinute).toBeLessThan((150 / 300) * 60_000 + 1);
  expect(run.estimatedRemainingSeconds).toBe(Math.ceil((150 / perMinute) * 60 * (50 / 149) - 1e-3));
  await app.graphql(CANCEL, {}, tenant.write);
  const [cancelled] = (await runsOf(app, tenant)).edges;
  expect(cancelled?.node).toMatchObject({ status: 'cancelled', estimatedRemainingSeconds: null });
});
