import { describe, expect, test } from 'vitest';
import type { MeetingJson } from '../../src/demo/provider/meeting-json.ts';
import { eventually } from '../support/app.ts';
import { fathomApi, meetingJson, type TestProviderOptions } from '../support/provider.ts';
import { backfillOf, entriesOf, resultOf } from './backfill-support.ts';
import {
  API_KEY,
  activitiesOf,
  CONNECT,
  connectedTenant,
  connector,
  ended,
  idsOf,
  meetingOf,
  meetingsOf,
  scheduledSync,
  searchedIds,
  startSync,
  syncOf,
} from './support.ts';
import { hookOf, newSigningSecret, send, signed } from './webhook-support.ts';

const DAY = 24 * 60 * 60 * 1000;
const ALL = '{ meetings(includeDeleted: true) { edges { node { recorderMeetingId deletedAt } } } }';
const ADAPTERS: { adapter: string; api?: TestProviderOptions['api'] }[] = [
  { adapter: 'standard' },
  { adapter: 'fathom', api: fathomApi({ limits: { light: 1_000, heavy: 1_000 } }) },
];

async function start({ adapter, api }: (typeof ADAPTERS)[number], count = 24) {
  // One in three days: of 72 days.
  const meetings = Array.from({ length: count }, (_, index) => meetingJson(index * 71));
  const on = await connector(
    { meetings, ...(api && { api }) },
    { RECORDER_PROVIDER: adapter, MEETING_SYNC_SCHEDULE: '1 hour' },
  );
  const { app } = on;
  const tenant = await connectedTenant(app);
  await syncOf(app, tenant);
  const idOf = (meeting: MeetingJson) => String(meeting.id).slice(adapter === 'fathom' ? 1 : 0);
  /** The scheduled sync of the next day, which is a comparison. */
  const compare = async () => {
    const { customerId: _id } = tenant;
    const lastComparedAt = new Date(Date.now() - DAY);
    await app.models.ProviderConnection.updateOne({ _id }, { $set: { lastComparedAt } });
    return scheduledSync(app, tenant);
  };
  const logged = async (id: string) =>
    (await entriesOf(app, tenant, id))
      .filter(({ type }) => ['recounted', 'deletions', 'deletions_refused'].includes(type))
      .map(({ type, count: meetingsOfEntry, detail }) => ({ type, count: meetingsOfEntry, detail }));
  const deletedIds = async () => {
    const { edges } = resultOf<{
      edges: { node: { recorderMeetingId: string; deletedAt: string | null } }[];
    }>(await app.graphql(ALL, {}, tenant.read));
    return edges.flatMap(({ node }) => (node.deletedAt === null ? [] : [node.recorderMeetingId]));
  };
  return { ...on, meetings, tenant, idOf, compare, logged, deletedIds };
}

const STANDARD = { adapter: 'standard' };

describe.each(ADAPTERS)('a meeting that $adapter no longer lists', (each) => {
  test('is marked by a comparison, leaves lists, searches and activities, and comes back', async () => {
    const { app, meetings, tenant, idOf, compare, logged, deletedIds } = await start(each);
    await eventually(async () => (await searchedIds(app, tenant, 'meeting')).length === 24);
    const [removed] = meetings.splice(12, 1);
    const gone = idOf(removed as MeetingJson);
    const run = await compare();
    expect(run).toMatchObject({
      status: 'succeeded',
      scope: 'comparison',
      stored: 0,
      fetched: 46,
      unchanged: 46,
    });
    expect(Date.parse(run.startedAt) - Date.parse(run.since)).toBe(90 * DAY);
    expect(await logged(run.id)).toEqual([
      { type: 'recounted', count: 1, detail: null },
      { type: 'deletions', count: 1, detail: null },
    ]);
    expect(await deletedIds()).toEqual([gone]);
    expect(await idsOf(app, tenant)).toHaveLength(23);
    expect(await idsOf(app, tenant, { search: removed?.title ?? '' })).not.toContain(gone);
    expect(await searchedIds(app, tenant, 'meeting')).not.toContain(gone);
    const { edges } = await activitiesOf(app, tenant);
    expect(edges.map(({ node }) => node.externalId)).not.toContain(`recorder_${gone}`);
    expect(await meetingOf(app, tenant, gone)).toMatchObject({
      deletedAt: expect.any(String),
      transcriptJson: [{}, {}],
    });

    meetings.splice(12, 0, removed as MeetingJson);
    expect(await compare()).toMatchObject({ fetched: 24, stored: 0, updated: 24, unchanged: 23 });
    expect(await deletedIds()).toEqual([]);
    expect(await meetingOf(app, tenant, gone)).toMatchObject({ deletedAt: null });
    expect((await activitiesOf(app, tenant)).edges).toHaveLength(24);
    await eventually(async () => (await searchedIds(app, tenant, 'meeting')).includes(gone));
  });
});

test('a full sync compares all meetings, also of other years', async () => {
  const { app, meetings, tenant, deletedIds } = await start(STANDARD, 5);
  const at = new Date(Date.now() - 400 * DAY).toISOString();
  meetings.push({ ...meetingJson(7), id: 'old', created_at: at, started_at: at });
  await backfillOf(app, tenant, { fullResync: true });
  expect((await meetingsOf(app, tenant)).edges).toHaveLength(6);
  meetings.pop();
  await backfillOf(app, tenant, { fullResync: true });
  expect(await deletedIds()).toEqual(['old']);
});

describe('no meeting is marked', () => {
  test('by an incremental sync or one of a chosen range', async () => {
    const { app, meetings, tenant, deletedIds } = await start(STANDARD, 5);
    meetings.splice(0, 2);
    await syncOf(app, tenant);
    await scheduledSync(app, tenant);
    await backfillOf(app, tenant, { since: new Date(Date.now() - 30 * DAY).toISOString() });
    expect(await deletedIds()).toEqual([]);
  });

  test('if the list is empty, has more than half missing, or a meeting without an id', async () => {
    const { meetings, provider, compare, logged, deletedIds } = await start(STANDARD);
    const refusedOf = async () => logged((await compare()).id);
    const all = [...meetings];
    meetings.splice(0);
    expect(await refusedOf()).toEqual([
      { type: 'deletions_refused', count: 24, detail: 'the list is empty' },
    ]);
    meetings.push(...all.slice(0, 11));
    expect(await refusedOf()).toEqual([
      { type: 'deletions_refused', count: 13, detail: 'more than half of the meetings are missing' },
    ]);
    meetings.push(...all.slice(11, 23));
    provider.behave({ change: (page) => ({ ...page, meetings: [...(page.meetings as unknown[]), {}] }) });
    expect(await refusedOf()).toEqual([
      { type: 'deletions_refused', count: 1, detail: 'the list contains a meeting without an id' },
    ]);
    expect(await deletedIds()).toEqual([]);
  });

  test('if the provider fails, or lists a meeting at the second reading only', async () => {
    const { meetings, provider, compare, logged, deletedIds } = await start(STANDARD);
    const [skipped] = meetings.splice(3, 1);
    provider.behave({ status: 403 });
    expect(await compare()).toMatchObject({ status: 'failed' });
    const first = provider.requests.length;
    provider.behave((_request, index) => {
      if (index > first) meetings.splice(3, 0, ...(meetings.length === 23 ? [skipped as MeetingJson] : []));
      return 'well';
    });
    const run = await compare();
    expect(await logged(run.id)).toEqual([{ type: 'recounted', count: 1, detail: null }]);
    expect(await deletedIds()).toEqual([]);
  });

  test('if the second reading is empty', async () => {
    const { meetings, provider, compare, logged, deletedIds } = await start(STANDARD);
    meetings.splice(3, 1);
    const first = provider.requests.length;
    provider.behave((_request, index) => {
      if (index > first) meetings.splice(0);
      return 'well';
    });
    expect(await logged((await compare()).id)).toEqual([
      { type: 'recounted', count: 1, detail: null },
      { type: 'deletions_refused', count: 1, detail: 'the list is empty' },
    ]);
    expect(await deletedIds()).toEqual([]);
  });
});

test('a key of another account marks no meeting of the former one, and finds its own deletions', async () => {
  const { app, meetings, tenant, compare, logged, deletedIds } = await start(STANDARD);
  const others = Array.from({ length: 30 }, (_, index) => ({
    ...meetingJson(index * 60),
    id: `other${index}`,
  }));
  meetings.splice(0, meetings.length, ...others);
  await app.graphql(CONNECT, { apiKey: `${API_KEY}_another` }, tenant.write);
  for (let day = 1; day <= 2; day += 1) expect(await logged((await compare()).id)).toEqual([]);
  meetings.splice(4, 1);
  expect(await logged((await compare()).id)).toEqual([
    { type: 'recounted', count: 1, detail: null },
    { type: 'deletions', count: 1, detail: null },
  ]);
  expect(await deletedIds()).toEqual(['other4']);
});

describe('a deletion that is reported while the meeting is stored for the first time', () => {
  async function startEmpty() {
    const meetings = [meetingJson(1), meetingJson(2)];
    const on = await connector({ meetings });
    const { app } = on;
    const tenant = await connectedTenant(app);
    const secret = newSigningSecret();
    const { path } = await hookOf(app, tenant, secret);
    const [{ id, created_at }] = meetings as [MeetingJson];
    const done = () =>
      app.models.ProviderNotice.countDocuments({ customerId: tenant.customerId, status: 'done' });
    const report = async (type: string) => {
      const body = JSON.stringify({ type, data: { id, created_at } });
      expect((await send(app.url, path, body, signed({ body, secret }))).status).toBe(204);
    };
    const removeAndReport = async () => {
      const before = await done();
      meetings.shift();
      await report('meeting.deleted');
      await eventually(async () => (await done()) > before);
    };
    return { ...on, tenant, id: String(id), meetings, report, removeAndReport, done };
  }

  test.each(['sync', 'webhook'])('marks it if the response to a %s contains it', async (source) => {
    const { app, tenant, provider, id, report, removeAndReport, done } = await startEmpty();
    const asked = provider.requests.length;
    const deleted = Promise.withResolvers<void>();
    provider.behave({ until: deleted.promise });
    const run = source === 'sync' ? startSync(app, tenant) : undefined;
    if (!run) await report('meeting.updated');
    await provider.waitFor(asked + 1);
    await removeAndReport();
    expect(await meetingOf(app, tenant, id)).toBeNull();
    deleted.resolve();
    if (run) await ended(app, tenant, (await run).id);
    else await eventually(async () => (await done()) === 2);
    expect(await meetingOf(app, tenant, id)).toMatchObject({ deletedAt: expect.any(String) });
    expect(await idsOf(app, tenant)).toEqual(run ? ['m2'] : []);
    expect((await activitiesOf(app, tenant)).edges).toHaveLength(run ? 1 : 0);
  });

  test('does not hide it if the provider lists it again', async () => {
    const { app, tenant, id, meetings, removeAndReport } = await startEmpty();
    const [meeting] = meetings as [MeetingJson];
    await removeAndReport();
    meetings.unshift(meeting);
    expect(await syncOf(app, tenant)).toMatchObject({ stored: 2 });
    expect(await meetingOf(app, tenant, id)).toMatchObject({ deletedAt: null });
  });
});

test('a webhook marks the meeting that it reports as deleted, of its own tenant only', async () => {
  const { app, meetings, tenant, deletedIds } = await start(STANDARD, 3);
  const other = await connectedTenant(app);
  await syncOf(app, other);
  const secret = newSigningSecret();
  const { path } = await hookOf(app, tenant, secret);
  const { id, created_at } = meetings[1] as MeetingJson;
  const body = JSON.stringify({ type: 'meeting.deleted', data: { id, created_at } });
  expect((await send(app.url, path, body, signed({ body, secret }))).status).toBe(204);
  await eventually(async () => (await deletedIds()).length === 1);
  expect(await deletedIds()).toEqual([id]);
  expect(await idsOf(app, other)).toHaveLength(3);
});

test('a reported deletion that is processed late leaves a meeting that was read again meanwhile', async () => {
  const receivedAt = new Date();
  const { app, meetings, tenant, deletedIds } = await start(STANDARD, 3);
  const [again, gone] = meetings.map(({ id }) => String(id));
  const { customerId } = tenant;
  const process = async (meetingId: string | undefined, at: Date) => {
    const { _id } = await app.models.ProviderNotice.create({
      ...{ customerId, webhookId: `late-${meetingId}`, type: 'deleted', meetingId, createdAt: null },
      ...{ status: 'pending', receivedAt: at, lease: { expiresAt: at }, attempts: 0 },
    });
    await eventually(async () => app.models.ProviderNotice.exists({ _id, status: 'done' }));
  };
  await process(again, receivedAt);
  await process(gone, new Date());
  expect(await deletedIds()).toEqual([gone]);
});
