import { expect, test } from 'vitest';
import type { MeetingJson } from '../../src/demo/provider/meeting-json.ts';
import { GROUP_SIZE } from '../../src/features/meetings/search/postings.ts';
import { resultOf } from '../meetings/backfill-support.ts';
import {
  type Connector,
  codeOf,
  connectedTenant,
  connector,
  idsOf,
  meetingOf,
  SYNC,
  searchedIds,
  startSync,
  syncOf,
} from '../meetings/support.ts';
import { hookOf, newSigningSecret, send, signed } from '../meetings/webhook-support.ts';
import { eventually, type TestApp, type TestTenant } from '../support/app.ts';
import { holdWrites } from '../support/held-writes.ts';
import { readMetrics } from '../support/metrics.ts';
import { expectProtectedGraphQL } from '../support/protection.ts';
import { meetingJson } from '../support/provider.ts';
import { dump, ENCRYPTION_KEY } from './privacy-support.ts';

const DELETE = `mutation ($id: ID!, $suppress: Boolean) {
  deleteMeeting(id: $id, suppress: $suppress) { id suppressionId counts { kind count } }
}`;
const LIST = '{ suppressions { edges { node { id type hash erasureId createdBy createdAt } } } }';
const LIFT = 'mutation ($id: ID!) { liftSuppression(id: $id) { id type erasureId } }';
const FULL_SYNC = SYNC.replace('syncMeetings', 'syncMeetings(fullResync: true)');
const RUNS = `{ meetingSyncRuns(first: 1) {
  edges { node { id status suppressed skipped rejected stored updated fetched warnings } }
} }`;

interface Deleted {
  id: string;
  suppressionId: string | null;
  counts: { kind: string; count: number }[];
}

interface Entry {
  id: string;
  type: string;
  hash: string;
  erasureId: string | null;
  createdBy: string | null;
}

/** A connected tenant whose provider has three meetings, which are stored. */
async function synced(): Promise<Connector & { tenant: TestTenant; meetings: MeetingJson[] }> {
  const meetings = [0, 1, 2].map((number) => meetingJson(number));
  const on = await connector({ meetings }, { CONNECTOR_ENCRYPTION_KEY: ENCRYPTION_KEY });
  const tenant = await connectedTenant(on.app);
  expect(await syncOf(on.app, tenant)).toMatchObject({ status: 'succeeded', stored: 3 });
  return { ...on, tenant, meetings };
}

const deleteMeeting = async (
  app: TestApp,
  tenant: TestTenant,
  variables: { id: string; suppress?: boolean },
): Promise<Deleted> => resultOf<Deleted>(await app.graphql(DELETE, variables, tenant.write));

async function entriesOf(app: TestApp, tenant: TestTenant): Promise<Entry[]> {
  const { edges } = resultOf<{ edges: { node: Entry }[] }>(await app.graphql(LIST, {}, tenant.read));
  return edges.map(({ node }) => node);
}

async function lastRun(app: TestApp, tenant: TestTenant) {
  const answer = await app.graphql(RUNS, {}, tenant.read);
  return resultOf<{ edges: { node: object }[] }>(answer).edges[0]?.node;
}

/** Ids of the documents that are stored of a meeting, by collection. */
async function storedOf({ models }: TestApp, { customerId }: TestTenant, id: string): Promise<string[]> {
  const { Meeting, MeetingTranscript, MeetingProviderRecord, MeetingActivity } = models;
  const key = { customerId, _id: `${customerId}:${id}` };
  const found = [];
  for (const model of [Meeting, MeetingTranscript, MeetingProviderRecord, MeetingActivity])
    if (await (model as typeof Meeting).exists(key)) found.push(model.collection.name);
  return found;
}

test('a deletion is protected', async () => {
  const { app, tenant } = await synced();
  await expectProtectedGraphQL(app, DELETE, { id: 'm0' }, [tenant.read]);
  expect(await entriesOf(app, tenant)).toEqual([]);
});

test('a body does not replace the query parameter `suppress` over REST', async () => {
  const { app, tenant } = await synced();
  const path = `/api/v1/customers/${tenant.customerId}/meetings/m1`;
  const refused = await app.request('DELETE', path, { key: tenant.write, body: { suppress: false } });
  expect(refused).toMatchObject({
    status: 422,
    body: { error: { details: [{ path: 'suppress', message: 'Unknown field.' }] } },
  });
  expect(await storedOf(app, tenant, 'm1')).not.toEqual([]);
  const deleted = await app.request('DELETE', `${path}?suppress=false`, { key: tenant.write, body: {} });
  expect(deleted).toMatchObject({ status: 200, body: { id: 'm1', suppressionId: null } });
});

test('a deleted meeting is suppressed in syncs and webhooks, which count it, until it is lifted', async () => {
  const { app, meetings, tenant } = await synced();
  const words = ['plantedtitle', 'plantedsummary', 'planted.guest@example.com'];
  const planted = {
    ...{ title: words[0], summary: words[1], transcript: [{ speaker: 'Ann', text: 'plantedspeech' }] },
    participants: [{ name: 'Guest', email: words[2] }],
  };
  Object.assign(meetings[1] as MeetingJson, planted);
  await syncOf(app, tenant);
  await eventually(async () => (await searchedIds(app, tenant, 'plantedspeech')).length === 1);

  const deleted = await deleteMeeting(app, tenant, { id: 'm1' });
  expect(Object.fromEntries(deleted.counts.map(({ kind, count }) => [kind, count]))).toMatchObject({
    ...{ meetings: 1, transcripts: 1, provider_records: 1, activities: 1 },
  });
  const [entry] = await entriesOf(app, tenant);
  expect(entry).toMatchObject({
    ...{ id: deleted.suppressionId, type: 'meeting', erasureId: null },
    ...{ hash: expect.stringMatching(/^[\w-]{43}$/), createdBy: expect.stringMatching(/^[0-9a-f]{24}$/) },
  });

  Object.assign(meetings[1] as MeetingJson, { title: `${words[0]} again`, started_at: 'no time' });
  for (const sync of [SYNC, FULL_SYNC]) {
    resultOf(await app.graphql(sync, {}, tenant.write));
    const run = await eventually(async () => {
      const found = await lastRun(app, tenant);
      return found && 'status' in found && found.status !== 'running' ? found : undefined;
    });
    expect(run).toMatchObject({
      ...{ status: 'succeeded', suppressed: 1, skipped: 1 },
      ...{ stored: 0, updated: 2, fetched: 3, warnings: 0 },
    });
  }
  const secret = newSigningSecret();
  const { path } = await hookOf(app, tenant, secret);
  const body = JSON.stringify({
    type: 'meeting.updated',
    data: { id: 'm1', created_at: meetings[1]?.created_at },
  });
  expect((await send(app.url, path, body, signed({ body, secret }))).status).toBe(204);
  await eventually(() => app.models.ProviderNotice.exists({ status: 'done' }));

  expect(await idsOf(app, tenant)).toEqual(['m0', 'm2']);
  expect(await meetingOf(app, tenant, 'm1')).toBeNull();
  expect(await storedOf(app, tenant, 'm1')).toEqual([]);
  expect(await searchedIds(app, tenant, 'plantedspeech')).toEqual([]);
  const text = await dump(app);
  expect([...words, 'plantedspeech'].filter((word) => text.includes(word ?? ''))).toEqual([]);
  const metrics = await readMetrics({ url: app.probesUrl ?? app.url });
  expect(metrics.value('engagement_suppressed_total', { source: 'meetings' })).toBe(3);

  const lifted = await app.graphql(LIFT, { id: deleted.suppressionId }, tenant.write);
  expect(resultOf(lifted)).toEqual({ id: deleted.suppressionId, type: 'meeting', erasureId: null });
  expect(await syncOf(app, tenant)).toMatchObject({ status: 'succeeded', stored: 1 });
  expect(await idsOf(app, tenant)).toContain('m1');
});

/** Indexes what syncs store from now on in the next group of the search index, as after a thousand meetings. */
const startNextGroup = ({ models }: TestApp, { customerId }: TestTenant) =>
  models.MeetingSearchState.updateOne({ _id: customerId }, { $inc: { next: GROUP_SIZE } });

test.each(['stored', 'deleted at the provider'])(
  'the words of each content of a meeting that is %s leave the search index',
  async (state) => {
    const { app, meetings, tenant } = await synced();
    const contents = ['plantedfirst', 'plantedsecond', 'plantedthird'];
    for (const title of contents) {
      Object.assign(meetings[1] as MeetingJson, { title });
      await syncOf(app, tenant);
      await eventually(async () => (await searchedIds(app, tenant, title)).length === 1);
      await startNextGroup(app, tenant);
    }
    if (state !== 'stored') {
      const secret = newSigningSecret();
      const { path } = await hookOf(app, tenant, secret);
      const body = JSON.stringify({
        type: 'meeting.deleted',
        data: { id: 'm1', created_at: meetings[1]?.created_at },
      });
      expect((await send(app.url, path, body, signed({ body, secret }))).status).toBe(204);
      await eventually(() => app.models.Meeting.exists({ indexedAs: -1 }));
    }
    await deleteMeeting(app, tenant, { id: 'm1' });
    const text = await dump(app);
    expect(contents.filter((word) => text.includes(word))).toEqual([]);
    await eventually(async () => (await searchedIds(app, tenant, meetings[0]?.title ?? '')).includes('m0'));
  },
);

test.each([true, false])(
  'the words of a meeting that is being indexed leave the search index, with `suppress: %s`',
  async (suppress) => {
    const { app, meetings, tenant } = await synced();
    await eventually(async () => !(await app.models.Meeting.exists({ indexedAs: null })));
    const writes = holdWrites('meetingPostings');
    Object.assign(meetings[1] as MeetingJson, { title: 'plantedtitle' });
    await syncOf(app, tenant);
    await writes.reached;
    const deleting = deleteMeeting(app, tenant, { id: 'm1', suppress });
    await new Promise((resolve) => setTimeout(resolve, 300));
    writes.release();
    await deleting;
    await eventually(
      async () => !(await app.models.MeetingSearchState.exists({ pending: { $exists: true } })),
    );
    expect(await dump(app)).not.toContain('plantedtitle');
  },
);

test('a suppression whose meeting is removed meanwhile is the outcome of the deletion, and is audited', async () => {
  const { app, tenant } = await synced();
  const writes = holdWrites('previewEvents');
  const body = { type: 'page.viewed', visitor_id: 'v_1' };
  const recording = app.request('POST', '/v1/events', { key: tenant.write, body });
  await writes.reached;
  const deleting = deleteMeeting(app, tenant, { id: 'm1' });
  await eventually(async () => (await entriesOf(app, tenant)).length === 1);
  await app.models.Meeting.deleteOne({ _id: `${tenant.customerId}:m1` });
  writes.release();
  await recording;
  const { suppressionId, counts } = await deleting;
  expect(await entriesOf(app, tenant)).toMatchObject([{ id: suppressionId }]);
  expect(counts.filter(({ count }) => count > 0)).toEqual([]);
  const audited = '{ auditLog(action: "deleteMeeting") { edges { node { outcome target { id } } } } }';
  const log = resultOf<{ edges: object[] }>(await app.graphql(audited, {}, tenant.read));
  expect(log.edges).toEqual([{ node: { outcome: 'done', target: { id: 'm1' } } }]);
});

test('at the limit of the suppression list, a repetition deletes the meeting whose entry exists', async () => {
  const { app, tenant } = await synced();
  const { Meeting, Suppression } = app.models;
  const key = { _id: `${tenant.customerId}:m1` };
  const stored = await Meeting.findOne(key).lean();
  const { suppressionId } = await deleteMeeting(app, tenant, { id: 'm1' });
  const entry = await Suppression.findOne().lean();
  const others = Array.from({ length: 199_999 }, (_, number) => {
    const { _id, ...fields } = entry as NonNullable<typeof entry>;
    return { ...fields, hash: `hash ${number}` };
  });
  await Suppression.collection.insertMany(others as never[], { ordered: false });
  await Meeting.collection.insertOne(stored as never);
  expect(await deleteMeeting(app, tenant, { id: 'm1' })).toMatchObject({ suppressionId });
  expect(codeOf(await app.graphql(DELETE, { id: 'm0' }, tenant.write))).toBe('CONFLICT');
});

test('a suppressed meeting without a usable creation time is not rejected, which logs its id', async () => {
  const { app, meetings, tenant } = await synced();
  await deleteMeeting(app, tenant, { id: 'm1' });
  const unusable = new Date(meetings[1]?.created_at ?? '').toUTCString();
  Object.assign(meetings[1] as MeetingJson, { created_at: unusable });
  resultOf(await app.graphql(FULL_SYNC, {}, tenant.write));
  const run = await eventually(async () => {
    const found = await lastRun(app, tenant);
    return found && 'suppressed' in found && found.suppressed === 1 ? found : undefined;
  });
  expect(run).toMatchObject({ fetched: 3, rejected: 0, skipped: 1, updated: 2 });
});

test('with `suppress: false`, the next sync stores the meeting again', async () => {
  const { app, tenant } = await synced();
  const path = `/api/v1/customers/${tenant.customerId}/meetings/m1`;
  const unclear = await app.request('DELETE', `${path}?suppress=maybe`, { key: tenant.write });
  expect(unclear.status).toBe(422);
  const deleted = await app.request('DELETE', `${path}?suppress=false`, { key: tenant.write });
  expect(deleted).toMatchObject({ status: 200, body: { id: 'm1', suppressionId: null } });
  expect(await storedOf(app, tenant, 'm1')).toEqual([]);
  expect(await entriesOf(app, tenant)).toEqual([]);
  expect(await syncOf(app, tenant)).toMatchObject({ stored: 1 });
});

test("a deletion concerns the customer's own meeting only", async () => {
  const { app, tenant } = await synced();
  const other = await connectedTenant(app);
  for (const id of ['m0', 'm_unknown', ''])
    expect(codeOf(await app.graphql(DELETE, { id }, other.write)), id).toMatch(/NOT_FOUND|VALIDATION_FAILED/);
  expect(await entriesOf(app, other)).toEqual([]);
  const { suppressionId } = await deleteMeeting(app, tenant, { id: 'm0' });
  expect(await syncOf(app, other)).toMatchObject({ stored: 3 });
  expect(codeOf(await app.graphql(LIFT, { id: suppressionId }, other.write))).toBe('NOT_FOUND');
  expect(codeOf(await app.graphql(DELETE, { id: 'm0' }, tenant.write))).toBe('NOT_FOUND');
  expect(await entriesOf(app, tenant)).toHaveLength(1);
});

test('of deletions at the same time, one deletes the meeting, and it is suppressed once', async () => {
  const { app, tenant } = await synced();
  const answers = await Promise.all([1, 2, 3].map(() => app.graphql(DELETE, { id: 'm2' }, tenant.write)));
  const deleted = answers.filter(({ body }) => !body.errors);
  expect(deleted.length).toBeGreaterThanOrEqual(1);
  for (const answer of answers) if (answer.body.errors) expect(codeOf(answer)).toBe('NOT_FOUND');
  expect(await storedOf(app, tenant, 'm2')).toEqual([]);
  expect(await entriesOf(app, tenant)).toHaveLength(1);
});

test.each(['meetingTranscripts', 'meetings'])(
  'a deletion waits for a sync that has read the meeting before, held while it writes %s',
  async (collection) => {
    const { app, meetings, tenant } = await synced();
    Object.assign(meetings[1] as MeetingJson, { title: 'heldtitle', transcript: [{ text: 'Held' }] });
    const writes = holdWrites(collection);
    const run = await startSync(app, tenant);
    await writes.reached;
    let isDeleted = false;
    const deleting = deleteMeeting(app, tenant, { id: 'm1' }).finally(() => {
      isDeleted = true;
    });
    await eventually(async () => (await entriesOf(app, tenant)).length === 1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(isDeleted).toBe(false);
    writes.release();
    expect((await deleting).suppressionId).toEqual(expect.any(String));
    await eventually(async () => {
      const found = await lastRun(app, tenant);
      return found && 'status' in found && found.status === 'succeeded' ? true : undefined;
    });
    expect(await lastRun(app, tenant)).toMatchObject({ id: run.id, stored: 0, updated: 3, suppressed: 0 });
    expect(await storedOf(app, tenant, 'm1')).toEqual([]);
    expect(await syncOf(app, tenant)).toMatchObject({ stored: 0, skipped: 1 });
  },
);
