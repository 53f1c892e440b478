import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { expectProtectedGraphQL } from '../support/protection.ts';
import { type Behaviour, meetingJson } from '../support/provider.ts';
import {
  CANCEL,
  type Connector,
  codeOf,
  connectedTenant,
  connectionOf,
  connector,
  ended,
  idsOf,
  meetingOf,
  pagesAsked,
  type Rows,
  runsOf,
  SYNC,
  startConnector,
  startSync,
  syncOf,
} from './support.ts';

const DAY = 24 * 60 * 60 * 1000;
const PAGE = 50;

/** One page with exactly these meetings. */
const onlyPage = (...meetings: unknown[]): Behaviour => ({ change: () => ({ meetings }) });

let on: Connector;

beforeAll(async () => {
  on = await startConnector({ count: 120 });
});
afterAll(() => on.stop());
afterEach(() => on.provider.behave('well'));

describe('syncMeetings', () => {
  test('requires authentication, as does cancelMeetingSync', async () => {
    const tenant = await connectedTenant(on.app);
    await expectProtectedGraphQL(on.app, SYNC, {}, [tenant.read]);
    await expectProtectedGraphQL(on.app, CANCEL, {}, [tenant.read]);
    expect((await runsOf(on.app, tenant)).edges).toEqual([]);
  });

  test('without a connection is NOT_CONFIGURED', async () => {
    const { write } = await on.app.newTenant();
    expect(codeOf(await on.app.graphql(SYNC, {}, write))).toBe('NOT_CONFIGURED');
  });

  test('reads 90 days at first, page by page, and emits its progress', async () => {
    const tenant = await connectedTenant(on.app);
    const started = await startSync(on.app, tenant);
    expect(started).toMatchObject({ status: 'running', finishedAt: null, pages: 0, error: null });
    const run = await ended(on.app, tenant, started.id);
    expect(run).toMatchObject({
      status: 'succeeded',
      pages: 3,
      fetched: 120,
      stored: 120,
      updated: 0,
      rejected: 0,
      rateLimited: 0,
      error: null,
      finishedAt: expect.any(String),
    });
    expect(Date.parse(run.startedAt) - Date.parse(run.since)).toBe(90 * DAY);
    const asked = pagesAsked(on.provider, tenant);
    expect(asked.map(({ query }) => [query.since, query.limit])).toEqual(
      Array(3).fill([run.since, String(PAGE)]),
    );
    expect(await on.app.models.Meeting.countDocuments({ customerId: tenant.customerId })).toBe(120);
    expect(await connectionOf(on.app, tenant)).toMatchObject({
      status: 'connected',
      lastSyncAt: run.startedAt,
      lastRun: { id: run.id, status: 'succeeded' },
    });
  });

  test('reads the meetings of the last seven days again, and stores no duplicates', async () => {
    const tenant = await connectedTenant(on.app);
    const first = await syncOf(on.app, tenant);
    const second = await syncOf(on.app, tenant);
    expect(Date.parse(second.startedAt) - Date.parse(second.since)).toBe(7 * DAY + 1_000);
    // One meeting an hour.
    expect(second).toMatchObject({ status: 'succeeded', pages: 3, fetched: 120, stored: 0, updated: 120 });
    expect(await on.app.models.Meeting.countDocuments({ customerId: tenant.customerId })).toBe(120);
    expect(await on.app.models.MeetingActivity.countDocuments({ customerId: tenant.customerId })).toBe(120);
    expect((await runsOf(on.app, tenant)).edges.map(({ node }) => node.id)).toEqual([second.id, first.id]);
  });

  test('returns the active sync if there is one', async () => {
    const tenant = await connectedTenant(on.app);
    on.provider.behave({ delayMs: 200 });
    const [one, other] = await Promise.all([startSync(on.app, tenant), startSync(on.app, tenant)]);
    expect(other.id).toBe(one.id);
    expect((await startSync(on.app, tenant)).id).toBe(one.id);
    expect(await ended(on.app, tenant, one.id)).toMatchObject({ status: 'succeeded', stored: 120 });
    expect(pagesAsked(on.provider, tenant)).toHaveLength(3);
  });

  test('updates meetings that changed at the provider', async () => {
    const { app, provider } = await connector({ count: 2 });
    const tenant = await connectedTenant(app);
    await syncOf(app, tenant);
    const meetings = provider.meetings as unknown as ReturnType<typeof meetingJson>[];
    meetings[0] = { ...meetingJson(0), title: 'Renamed', summary: 'Changed.' };
    expect(await syncOf(app, tenant)).toMatchObject({ stored: 0, updated: 2 });
    expect(await meetingOf(app, tenant, 'm0')).toMatchObject({ title: 'Renamed', summaryText: 'Changed.' });
    expect(await idsOf(app, tenant, { search: 'renamed' })).toEqual(['m0']);
    expect(await idsOf(app, tenant, { search: 'they met as number 0' })).toEqual([]);
  });

  test('keeps the time at which a meeting was stored first, unknown if an earlier version stored it', async () => {
    const { app, provider } = await connector({ count: 2 });
    const tenant = await connectedTenant(app);
    const storedAt = async () => {
      const { body } = await app.graphql('{ meetings { edges { node { storedAt } } } }', {}, tenant.read);
      const meetings = body.data?.meetings as unknown as Rows<{ storedAt: string | null }> | undefined;
      return meetings?.edges.map(({ node }) => node.storedAt);
    };
    const before = Date.now();
    await syncOf(app, tenant);
    const [first] = (await storedAt()) ?? [];
    expect(Date.parse(first ?? '')).toBeGreaterThan(before - 1_000);
    expect(Date.parse(first ?? '')).toBeLessThan(Date.now() + 1_000);
    const { customerId } = tenant;
    await app.models.Meeting.updateOne({ customerId, _id: `${customerId}:m1` }, { $unset: { storedAt: 1 } });
    const meetings = provider.meetings as unknown as ReturnType<typeof meetingJson>[];
    for (const meeting of meetings) meeting.title = 'Renamed';
    await syncOf(app, tenant);
    expect(await idsOf(app, tenant, { search: 'renamed' })).toEqual(['m0', 'm1']);
    expect(await storedAt()).toEqual([first, null]);
  });

  test('counts a repeated meeting as updated, on one page or two', async () => {
    const { app, provider } = await connector({ count: 60, overlap: 10 });
    const tenant = await connectedTenant(app);
    const run = await syncOf(app, tenant);
    expect(run).toMatchObject({ status: 'succeeded', pages: 2, fetched: 70, stored: 60, updated: 10 });

    const other = await connectedTenant(app);
    provider.behave(onlyPage(meetingJson(1), meetingJson(2), { ...meetingJson(1), title: 'Later' }));
    expect(await syncOf(app, other)).toMatchObject({ fetched: 3, stored: 2, updated: 1 });
    expect(await meetingOf(app, other, 'm1')).toMatchObject({ title: 'Later' });
  });

  test('counts meetings without an id or creation time and stores the others', async () => {
    const tenant = await connectedTenant(on.app);
    on.provider.behave(
      onlyPage(meetingJson(1), { id: 'broken' }, 'text', { ...meetingJson(2), transcript: 'none' }),
    );
    const run = await syncOf(on.app, tenant);
    expect(run).toMatchObject({ status: 'succeeded', fetched: 4, stored: 2, rejected: 2 });
    expect(await idsOf(on.app, tenant)).toEqual(['m1', 'm2']);
  });
});

test('a transcript too large for a document is stored from its beginning, with a warning', async () => {
  const { app, provider } = await connector();
  const tenant = await connectedTenant(app);
  const escapes = Array.from({ length: 88 }, () => ({ speaker: null, text: '\u0001'.repeat(32_768) }));
  provider.behave(onlyPage(meetingJson(1), { ...meetingJson(2), transcript: escapes }, meetingJson(3)));
  expect(await syncOf(app, tenant)).toMatchObject({
    status: 'succeeded',
    stored: 3,
    rejected: 0,
    warnings: 1,
    warningDetails: [{ meeting: 'm2', path: 'transcript' }],
  });
  expect((await meetingOf(app, tenant, 'm2'))?.transcriptJson).toHaveLength(67);
});

describe('a transcript that is still empty', () => {
  test('is requested again for up to 7 days, and is kept once it has arrived', async () => {
    const { app, provider } = await connector({ count: 6 * 24 });
    const tenant = await connectedTenant(app);
    const meetings = provider.meetings as unknown as ReturnType<typeof meetingJson>[];
    const whole = meetings[130];
    if (!whole) throw new Error('there is no such meeting');
    meetings[130] = { ...whole, transcript: [] };
    await syncOf(app, tenant);
    expect((await meetingOf(app, tenant, 'm130'))?.transcriptJson).toBeNull();

    meetings[130] = whole;
    const second = await syncOf(app, tenant);
    expect(Date.parse(second.startedAt) - Date.parse(second.since)).toBe(7 * DAY + 1_000);
    expect(await meetingOf(app, tenant, 'm130')).toMatchObject({
      transcriptJson: [{ speaker: 'Host', startTime: 0, endTime: 4.5 }, { speaker: 'Guest 130' }],
    });

    meetings[0] = { ...meetingJson(0), transcript: [] };
    await syncOf(app, tenant);
    expect((await meetingOf(app, tenant, 'm0'))?.transcriptJson).toHaveLength(2);
  });

  test('is not requested after 7 days', async () => {
    const { app, provider } = await connector({ count: 1 });
    const tenant = await connectedTenant(app);
    const at = new Date(app.clock.now().getTime() - 8 * DAY).toISOString();
    provider.behave(onlyPage({ ...meetingJson(0), created_at: at, started_at: at, transcript: [] }));
    await syncOf(app, tenant);
    const second = await syncOf(app, tenant);
    expect(Date.parse(second.startedAt) - Date.parse(second.since)).toBe(7 * DAY + 1_000);
  });
});
