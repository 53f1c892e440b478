import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { mongo } from 'mongoose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MeetingJson } from '../../src/demo/provider/meeting-json.ts';
import { convertiblePostings } from '../../src/features/meetings/search/postings-conversion.store.ts';
import { toDocuments } from '../../src/features/meetings/stored-meetings/meeting-documents.ts';
import { encodeTranscript } from '../../src/features/meetings/transcript-json.ts';
import { DEFAULT_MAPPING } from '../../src/shared/field-mapping.ts';
import {
  activitiesOf,
  type Connector,
  connectedTenant,
  idsOf,
  meetingOf,
  searchedIds,
  startConnector,
  syncOf,
} from '../meetings/support.ts';
import { hookOf, newSigningSecret, send, signed } from '../meetings/webhook-support.ts';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { startCommand } from '../support/command.ts';
import { freshDatabase } from '../support/databases.ts';
import { sharedEncryption } from '../support/decrypted.ts';
import { ENCRYPTION_KEY, erase, stored } from './privacy-support.ts';

const ON = { PII_ENCRYPTION: 'on', CONNECTOR_ENCRYPTION_KEY: ENCRYPTION_KEY };
const OFF = { PII_ENCRYPTION: 'off', CONNECTOR_ENCRYPTION_KEY: ENCRYPTION_KEY };

/** Values of a meeting, each in another place. */
const PLANTED = {
  title: 'plantedtitle',
  name: 'plantedfirst plantedlast',
  email: 'planted.guest@person.example',
  spoken: 'plantedspoken',
  speaker: 'plantedspeaker',
  summary: 'plantedsummary',
  record: 'plantedrecord',
};

const hour = (ago: number) => new Date(Date.now() - ago * 3_600_000).toISOString();

const MEETINGS: MeetingJson[] = [
  {
    id: 'planted',
    title: `About ${PLANTED.title}`,
    created_at: hour(3),
    started_at: hour(3),
    duration_seconds: 600,
    participants: [
      { name: 'Hedda Host', email: 'hedda@acme.example', role: 'host' },
      { name: 'Gustav Guest', email: 'gustav@other.example', role: 'guest' },
      { name: PLANTED.name, email: PLANTED.email, role: 'guest' },
    ],
    transcript: [
      { speaker: PLANTED.speaker, text: `I say ${PLANTED.spoken} to you`, start_time: 0, end_time: 5 },
      { speaker: 'Gustav Guest', text: 'The lighthouse is near', start_time: 5, end_time: 9 },
    ],
    summary: `They spoke of ${PLANTED.summary}`,
    note: PLANTED.record,
  },
  {
    id: 'weekly',
    title: 'Weekly review',
    created_at: hour(2),
    started_at: hour(2),
    duration_seconds: 600,
    participants: [{ name: 'Gustav Guest', email: 'gustav@other.example', role: 'guest' }],
    transcript: [{ speaker: 'Gustav Guest', text: 'The harbour is far', start_time: 0, end_time: 5 }],
    summary: 'Nothing new',
  },
];

const uri = freshDatabase();
let connector: Connector;
let on: TestApp;
let off: TestApp;

beforeAll(async () => {
  connector = await startConnector({ meetings: MEETINGS }, { ...ON, MONGODB_URI: uri });
  on = connector.app;
  // Without jobs, which the other process runs.
  off = await startApp({ ...OFF, MONGODB_URI: uri, ROLE: 'api' });
});
afterAll(async () => {
  await off.stop();
  await connector.stop();
});

const db = (): mongo.Db => on.models.Tenant.db.db as unknown as mongo.Db;

const plantedIn = (text: string): string[] =>
  Object.values(PLANTED).filter((value) => text.toLowerCase().includes(value));

/** Resolves once the search finds both meetings. */
const indexed = (app: TestApp, tenant: TestTenant) =>
  eventually(async () => (await searchedIds(app, tenant, 'gustav')).length === 2 || undefined, 30_000);

/** A tenant whose meetings are stored and indexed. */
async function syncedTenant(): Promise<TestTenant> {
  const tenant = await connectedTenant(on);
  expect((await syncOf(on, tenant)).status).toBe('succeeded');
  await indexed(on, tenant);
  return tenant;
}

const SEARCH = `query ($query: String!) {
  meetingSearch(query: $query) { edges { node { meeting { title } matches { field snippet } } } }
}`;

/** Everything that an application returns of a tenant's meetings, found by the beginnings of words. */
async function viewOf(app: TestApp, tenant: TestTenant) {
  const search = async (query: string) => (await app.graphql(SEARCH, { query }, tenant.read)).body;
  return {
    meeting: await meetingOf(app, tenant, 'planted'),
    lists: await Promise.all(
      [{}, { search: 'plantedti' }, { search: PLANTED.email }, { search: 'plantedsum gus' }].map(
        (variables) => idsOf(app, tenant, variables),
      ),
    ),
    searches: await Promise.all(['plantedspo', 'pl', 'plantedt plantedla', 'lighthouse'].map(search)),
    activities: await activitiesOf(app, tenant, { personExternalId: PLANTED.email }),
    allActivities: await activitiesOf(app, tenant),
  };
}

const convert = async (app: TestApp, tenant: TestTenant) => {
  const converted = await app.services.fieldConversion.run({ tenants: [tenant.tenant], onProgress() {} });
  return Object.fromEntries(
    converted
      .filter(({ collection }) => collection.startsWith('meeting'))
      .map(({ collection, ...counts }) => [collection, counts]),
  );
};

const MAPPING = `mutation ($mappings: [FieldMappingInput!]!) {
  updateRecorderFieldMapping(mappings: $mappings) { sourceField }
}`;
/** Maps the address of the second guest to the person id, and a field of the record to a property. */
const mapGuest = async (app: TestApp, tenant: TestTenant) => {
  const mappings = [
    { sourceField: 'id', targetField: 'externalId' },
    { sourceField: 'created_at', targetField: 'occurredAt' },
    { sourceField: '/participants/2/email', targetField: 'personExternalId' },
    { sourceField: '/note', targetField: 'properties.note' },
    { sourceField: 'title', targetField: 'properties.name' },
  ];
  expect((await app.graphql(MAPPING, { mappings }, tenant.write)).body.errors).toBeUndefined();
  await eventually(async () => {
    const { edges } = await activitiesOf(app, tenant);
    return edges.some(({ node }) => node.properties.note === PLANTED.record) || undefined;
  }, 30_000);
};

describe('meetings with PII_ENCRYPTION=on', () => {
  test('are stored without a planted value, words of the search included, and returned with all of them', async () => {
    const tenant = await syncedTenant();
    await mapGuest(on, tenant);
    expect(plantedIn(await stored(on, tenant))).toEqual([]);
    const { customerId } = tenant;
    const ids = await db().collection('meetingPostings').distinct('_id', { customerId });
    expect(ids.length).toBeGreaterThan(10);
    for (const id of ids) expect(id).toMatch(/^\d+:([0-9a-f]{32})?:\d{7}$/);
    const { record, ...shown } = PLANTED;
    const view = await viewOf(on, tenant);
    expect(plantedIn(JSON.stringify(view.meeting))).toEqual(Object.values(shown));
    expect(view.lists).toEqual([['weekly', 'planted'], ['planted'], ['planted'], ['planted']]);
    for (const { data } of view.searches)
      expect(data).toMatchObject({
        meetingSearch: { edges: [{ node: { meeting: { title: `About ${PLANTED.title}` } } }] },
      });
    expect(JSON.stringify(view.searches[0])).toContain(`I say ${PLANTED.spoken} to you`);
    expect(view.activities.edges.map(({ node }) => node)).toMatchObject([
      {
        personExternalId: PLANTED.email,
        properties: { note: record, name: `About ${PLANTED.title}` },
      },
    ]);
    expect(await activitiesOf(on, tenant, { personExternalId: 'another' })).toMatchObject({ edges: [] });
  });

  test('are exported, for the customer and for a person', async () => {
    const tenant = await syncedTenant();
    const path = `/api/v1/customers/${tenant.customerId}/export`;
    const { record: _, ...shown } = PLANTED;
    for (const query of ['', `?email=${PLANTED.email}`]) {
      const { status, body } = await on.request('GET', `${path}${query}`, { key: tenant.write });
      expect(status).toBe(200);
      expect(plantedIn(String(body))).toEqual(expect.arrayContaining(Object.values(shown)));
    }
  });

  test('do not change in the next sync, and do by a webhook of the provider', async () => {
    const tenant = await syncedTenant();
    expect(await syncOf(on, tenant)).toMatchObject({ stored: 0, unchanged: 2 });
    const secret = newSigningSecret();
    const { path } = await hookOf(on, tenant, secret);
    const meeting = MEETINGS[0] as MeetingJson;
    const before = meeting.title;
    meeting.title = 'Renamed plantedagain';
    try {
      const body = JSON.stringify({
        type: 'meeting.updated',
        data: { id: meeting.id, created_at: meeting.created_at },
      });
      expect((await send(on.url, path, body, signed({ body, secret }))).status).toBe(204);
      await eventually(
        async () => (await searchedIds(on, tenant, 'plantedaga')).length === 1 || undefined,
        30_000,
      );
    } finally {
      meeting.title = before;
    }
    expect(await searchedIds(on, tenant, PLANTED.title)).toEqual([]);
    expect(await idsOf(on, tenant, { search: 'plantedagain' })).toEqual(['planted']);
    expect(await idsOf(on, tenant, { search: PLANTED.title })).toEqual([]);
    expect(await stored(on, tenant)).not.toContain('plantedagain');
  });

  test('lose an erased person, who does not return', async () => {
    const tenant = await syncedTenant();
    await erase(on, tenant, { email: PLANTED.email });
    const left = JSON.stringify(await meetingOf(on, tenant, 'planted'));
    expect(left).toContain('gustav@other.example');
    const { title: _title, spoken: _spoken, speaker: _speaker, record: _record, ...ofPerson } = PLANTED;
    for (const value of Object.values(ofPerson)) expect(left).not.toContain(value);
    await syncOf(on, tenant);
    await indexed(on, tenant);
    for (const value of [PLANTED.email, 'plantedlast']) {
      expect(await searchedIds(on, tenant, value)).toEqual([]);
      expect(await idsOf(on, tenant, { search: value })).toEqual([]);
    }
    expect(await searchedIds(on, tenant, PLANTED.title)).toEqual(['planted']);
  });
});

describe('a ciphertext of a meeting', () => {
  test('cannot be decrypted in another meeting, another field or for another customer', async () => {
    const [tenant, stranger] = [await syncedTenant(), await syncedTenant()];
    const meetings = db().collection<{ _id: string; title: unknown; summaryText: unknown }>('meetings');
    const _id = `${tenant.customerId}:planted`;
    const own = await meetings.findOne({ _id });
    const others = await Promise.all(
      [`${tenant.customerId}:weekly`, `${stranger.customerId}:planted`].map((id) =>
        meetings.findOne({ _id: id }),
      ),
    );
    for (const title of [...others.map((other) => other?.title), own?.summaryText]) {
      expect(title).toBeInstanceOf(mongo.Binary);
      await meetings.updateOne({ _id }, { $set: { title } });
      expect(await meetingOf(on, tenant, 'planted')).toMatchObject({ title: '[unreadable]' });
      expect(await meetingOf(on, tenant, 'weekly')).toMatchObject({ title: 'Weekly review' });
      const listed = await on.graphql('{ meetings { edges { node { title } } } }', {}, tenant.read);
      for (const title of ['[unreadable]', 'Weekly review'])
        expect(JSON.stringify(listed.body)).toContain(`{"title":"${title}"}`);
      expect(await searchedIds(on, tenant, PLANTED.title)).toEqual(['planted']);
    }
    const wordless = await on.graphql(
      '{ meetings(search: "- $") { edges { node { title } } } }',
      {},
      tenant.read,
    );
    expect(wordless.body).toMatchObject({ data: { meetings: { edges: [] } } });
    await meetings.updateOne({ _id }, { $set: { title: own?.title } });
    expect(await meetingOf(on, tenant, 'planted')).toMatchObject({ title: `About ${PLANTED.title}` });
    const transcripts = db().collection<{ _id: string; transcriptJson: unknown }>('meetingTranscripts');
    const foreign = await transcripts.findOne({ _id: `${stranger.customerId}:planted` });
    await transcripts.updateOne({ _id }, { $set: { transcriptJson: foreign?.transcriptJson } });
    const spoken = await on.graphql(
      '{ meeting(recorderMeetingId: "planted") { transcriptJson { text } } }',
      {},
      tenant.read,
    );
    expect(spoken.body).toMatchObject({ data: { meeting: { transcriptJson: [{ text: '[unreadable]' }] } } });

    const activities = db().collection<{ customerId: number; properties: unknown }>('meetingActivities');
    const ofStranger = await activities.findOne({ customerId: stranger.customerId });
    await activities.updateMany(
      { customerId: tenant.customerId },
      { $set: { properties: ofStranger?.properties } },
    );
    const { edges } = await activitiesOf(on, tenant);
    expect(edges.length).toBeGreaterThan(0);
    for (const { node } of edges) expect(node).toMatchObject({ properties: { unreadable: true } });
  });

  test('cannot be decrypted in another bucket of the search, and holds up no others', async () => {
    const [tenant, stranger] = [await syncedTenant(), await syncedTenant()];
    const postings = db().collection<{ _id: string; parts: unknown[] }>('meetingPostings');
    const idsOf = async ({ customerId }: TestTenant) =>
      (
        await postings
          .find({ customerId, _id: /:[0-9a-f]{32}:/ } as object, { projection: { _id: 1 } })
          .toArray()
      )
        .map(({ _id }) => _id)
        .toSorted();
    const [own, foreign] = [await idsOf(tenant), await idsOf(stranger)];
    const [from] = foreign;
    const moved = await postings.findOne({ _id: from as string });
    for (const _id of own) await postings.updateOne({ _id }, { $set: { parts: moved?.parts ?? [] } });
    expect(await searchedIds(on, tenant, 'harbour')).toEqual([]);
    expect(await searchedIds(on, stranger, 'harbour')).toEqual(['weekly']);
    const metrics = await (await fetch(`${on.url}/metrics`)).text();
    expect(metrics).toMatch(/engagement_unreadable_data_total\{collection="meetingPostings"\} [1-9]/);
  });
});

describe('pii encrypt and pii decrypt of meetings', () => {
  test('convert what is stored to plain text and back; both processes read both forms', async () => {
    const tenant = await syncedTenant();
    await mapGuest(on, tenant);
    // Stored again by the new mapping, with the same words.
    expect(await syncOf(on, tenant)).toMatchObject({ stored: 0, unchanged: 0 });
    expect(await on.models.Meeting.countDocuments({ customerId: tenant.customerId, indexedAs: null })).toBe(
      0,
    );
    const view = await viewOf(on, tenant);
    // A process with the setting off remembers for 10 s that a customer has no key.
    await eventually(
      async () => (await searchedIds(off, tenant, 'plantedspo')).length === 1 || undefined,
      20_000,
    );
    expect(await viewOf(off, tenant)).toEqual(view);
    const { customerId } = tenant;
    const postings = await on.models.MeetingPostings.countDocuments({ customerId });
    expect(await convert(off, tenant)).toMatchObject({
      meetings: { converted: 2, unreadable: 0, skipped: 0 },
      meetingTranscripts: { converted: 2 },
      meetingActivities: { converted: 2 },
      meetingPostings: { unreadable: 0, skipped: 0 },
    });
    expect(plantedIn(await stored(on, tenant))).toEqual(Object.values(PLANTED));
    expect(await on.models.Meeting.distinct('terms', { customerId })).toContain(PLANTED.title);
    for (const app of [on, off]) expect(await viewOf(app, tenant)).toEqual(view);
    // One window of the search index alone: each word is in one of the two forms.
    const some = convertiblePostings(on.models, sharedEncryption(on, { isOn: true }));
    await some.convert({ tenant: tenant.tenant, after: null, size: 25 });
    for (const app of [on, off]) expect(await viewOf(app, tenant)).toEqual(view);
    await convert(on, tenant);
    expect(plantedIn(await stored(on, tenant))).toEqual([]);
    for (const app of [on, off]) expect(await viewOf(app, tenant)).toEqual(view);
    expect(await on.models.MeetingPostings.countDocuments({ customerId })).toBe(postings);
    for (const counts of Object.values(await convert(on, tenant)))
      expect(counts).toEqual({ converted: 0, unreadable: 0, skipped: 0 });
    expect(await syncOf(on, tenant)).toMatchObject({ stored: 0, unchanged: 2 });
  });

  test('complete after they were killed, among meetings and among words', { timeout: 300_000 }, async () => {
    const database = freshDatabase();
    const app = await startApp({ ...OFF, MONGODB_URI: database });
    const tenant = await app.newTenant();
    const { customerId } = tenant;
    // More meetings, and more words, than a window of the conversion.
    const count = 600;
    const documents = Array.from({ length: count }, (_, index) => {
      const at = new Date(Date.UTC(2026, 0, 1, 0, index));
      const participants = [
        { name: `Guest killed${index}`, email: `killed${index}@person.example`, role: 'guest' },
      ];
      const words = Array.from({ length: 6 }, (_value, word) => `word${(index * 7 + word * 131) % 1_500}`);
      const segments = [{ speaker: null, text: `killedspoken ${words.join(' ')}`, startTime: 0, endTime: 1 }];
      return toDocuments(
        tenant,
        {
          ...{
            id: `m${index}`,
            title: `Killed ${index}`,
            createdAt: at,
            startedAt: at,
            durationSeconds: null,
          },
          ...{ participants, transcriptJson: encodeTranscript(segments), summary: null, updatedAt: null },
          ...{ warnings: [], warningCount: 0, recordJson: null },
        },
        { mapping: { version: 0, fields: DEFAULT_MAPPING }, key: null },
      );
    });
    const { Meeting, MeetingTranscript, MeetingActivity, MeetingPostings, MeetingSearchState } = app.models;
    await MeetingTranscript.collection.insertMany(
      documents.flatMap(({ transcript }) => transcript ?? []) as never[],
    );
    await MeetingActivity.collection.insertMany(documents.map(({ activity }) => activity) as never[]);
    await Meeting.collection.insertMany(
      documents.map(({ meeting }) => ({ ...meeting, storedBy: 'test' })) as never[],
    );
    await MeetingSearchState.create({ _id: customerId, next: 0, pending: 'test', compactedAt: 0 });
    await eventually(
      async () => (await Meeting.countDocuments({ customerId, indexedAs: null })) === 0 || undefined,
      120_000,
    );
    const before = await MeetingPostings.countDocuments({ customerId });
    const found = await searchedIds(app, tenant, 'killedspo');
    const dataDir = await mkdtemp(join(tmpdir(), 'engagement-pii-'));
    const env = { ...ON, MONGODB_URI: database, DATA_DIR: dataDir };
    /** The process remembers for 10 s that the customer has no key. */
    const finds = () =>
      eventually(
        async () => isDeepStrictEqual(await searchedIds(app, tenant, 'killedspo'), found) || undefined,
        20_000,
      );
    /** Kills a run once some documents are encrypted; not all of them are. */
    async function killed(model: typeof Meeting | typeof MeetingPostings, encrypted: object): Promise<void> {
      const countOf = () => (model as typeof Meeting).countDocuments({ customerId, ...encrypted });
      const run = startCommand(['pii', 'encrypt', '--json'], env);
      await eventually(async () => (await countOf()) > 0 || undefined, 60_000);
      run.process.kill('SIGKILL');
      await run.ended;
      expect(await countOf()).toBeLessThan(await (model as typeof Meeting).countDocuments({ customerId }));
      await finds();
    }
    await killed(Meeting, { title: { $type: 'binData' } });
    await killed(MeetingPostings, { _id: /:[0-9a-f]{32}:/ });
    const last = await startCommand(['pii', 'encrypt', '--json'], env).ended;
    expect(last).toMatchObject({ code: 0, stderr: '' });
    const raw = (await stored(app, tenant)).toLowerCase();
    for (const value of ['killed599', 'killedspoken', 'word1193']) expect(raw).not.toContain(value);
    expect(await MeetingPostings.countDocuments({ customerId })).toBe(before);
    await finds();
    expect(await idsOf(app, tenant, { search: 'killed599' })).toEqual(['m599']);
    await rm(dataDir, { recursive: true });
    await app.stop();
  });
});
