import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fathomAdapter } from '../../src/features/meetings/provider/adapters/fathom.ts';
import type { ProviderMeeting } from '../../src/features/meetings/provider/provider.types.ts';
import { encodeTranscript } from '../../src/features/meetings/transcript-json.ts';
import { type Behaviour, fathomApi, unauthorized } from '../support/provider.ts';
import { clientOf, firstPage, newKey, pacingDatabase } from './provider-support.ts';
import {
  API_KEY,
  activitiesOf,
  CONNECT,
  codeOf,
  connectedTenant,
  connector,
  ended,
  INVALID_KEY,
  idsOf,
  meetingOf,
  startSync,
  syncOf,
} from './support.ts';

let database: Awaited<ReturnType<typeof pacingDatabase>>;
beforeAll(async () => {
  database = await pacingDatabase();
});
afterAll(() => database.stop());

const ENV = { RECORDER_PROVIDER: 'fathom' };
const withItems = (...items: unknown[]): Behaviour => ({ change: (page) => ({ ...page, items }) });

/** A client of a fake Fathom. */
const fathom = (count = 3) => clientOf(database, { count, api: fathomApi() }, fathomAdapter);

/** A meeting as Fathom documents it. */
const MEETING = {
  title: 'Quarterly review',
  meeting_title: 'QBR',
  recording_id: 123_456_789,
  url: 'https://fathom.example.com/calls/123456789',
  created_at: '2026-11-20T17:01:30Z',
  scheduled_start_time: '2026-11-20T16:00:00Z',
  recording_start_time: '2026-11-20T16:01:12Z',
  recording_end_time: '2026-11-20T17:00:55Z',
  calendar_invitees: [
    { name: 'Grace Guest', email: 'Grace@Customer.example', is_external: true },
    { name: 'Rita Recorder', email: 'rita@house.example', is_external: false },
    { name: null, email: 'colleague@house.example', is_external: false },
  ],
  recorded_by: { name: 'Rita Recorder', email: 'RITA@house.example', team: 'Sales' },
  transcript: [
    {
      speaker: { display_name: 'Rita', matched_calendar_invitee_email: 'rita@house.example' },
      text: 'Welcome.',
      timestamp: '00:00:03',
    },
    { speaker: { display_name: 'Grace' }, text: 'Thank you.', timestamp: '00:05:32' },
    { speaker: null, text: 'Goodbye.', timestamp: '01:00:00' },
  ],
  default_summary: { template_name: 'general', markdown_formatted: '## Summary\nAll is well.' },
};

async function read(...items: unknown[]) {
  const { provider, client } = await fathom();
  provider.script(withItems(...items));
  return firstPage(client);
}

const change = async (fields: Record<string, unknown>): Promise<ProviderMeeting> => {
  const { meetings } = await read({ ...MEETING, ...fields });
  return meetings[0] as ProviderMeeting;
};

describe('a request to Fathom', () => {
  test('lists transcripts and summaries below the path of the URL, with the key in X-Api-Key', async () => {
    const { provider, client } = await fathom(25);
    const key = newKey();
    const since = new Date('2020-01-01T00:00:00.000Z');
    const first = await client.meetings(key, { since, after: null });
    expect(first.next).toEqual({ type: 'cursor', value: 'c10' });
    await client.meetings(key, { since, after: first.next });
    const after = new Date(since.getTime() - 1);
    const query = { created_after: after.toISOString(), include_transcript: 'true', include_summary: 'true' };
    expect(provider.requests.map((request) => ({ path: request.path, query: request.query }))).toEqual([
      { path: '/external/v1/meetings', query },
      { path: '/external/v1/meetings', query: { ...query, cursor: 'c10' } },
    ]);
    for (const { headers } of provider.requests) {
      expect(headers['x-api-key']).toBe(key);
      expect(headers.authorization).toBeUndefined();
    }
  });

  test('lists a meeting created at the start of the time range, although created_after is exclusive', async () => {
    const { client } = await fathom(2);
    const [newest] = (await firstPage(client)).meetings;
    const since = newest?.createdAt as Date;
    const { meetings } = await client.meetings(newKey(), { since, after: null });
    expect(meetings.map(({ id }) => id)).toEqual([newest?.id]);
  });

  test('checks a key by the teams, or by a page of meetings without transcripts if there are none', async () => {
    const { provider, client } = await fathom();
    await client.checkKey(newKey());
    provider.script({ status: 404 });
    await client.checkKey(newKey());
    expect(provider.requests.map(({ path, query }) => [path, query])).toEqual([
      ['/external/v1/teams', {}],
      ['/external/v1/teams', {}],
      ['/external/v1/meetings', {}],
    ]);
    provider.script(unauthorized);
    await expect(client.checkKey(newKey())).rejects.toMatchObject({ code: 'key_invalid' });
    expect(provider.requests).toHaveLength(4);
  });
});

describe('a meeting of Fathom', () => {
  test('has the fields of every provider', async () => {
    const { transcript: _transcript, ...record } = MEETING;
    expect(await read(MEETING)).toEqual({
      meetings: [
        {
          id: '123456789',
          title: 'Quarterly review',
          createdAt: new Date('2026-11-20T17:01:30Z'),
          startedAt: new Date('2026-11-20T16:01:12Z'),
          durationSeconds: 3_583,
          participants: [
            { name: 'Grace Guest', email: 'Grace@Customer.example', role: 'guest' },
            { name: 'Rita Recorder', email: 'rita@house.example', role: 'host' },
            { name: 'colleague@house.example', email: 'colleague@house.example', role: 'host' },
          ],
          transcriptJson: encodeTranscript([
            { speaker: 'Rita', text: 'Welcome.', startTime: 3, endTime: 332 },
            { speaker: 'Grace', text: 'Thank you.', startTime: 332, endTime: 3_600 },
            { speaker: null, text: 'Goodbye.', startTime: 3_600, endTime: null },
          ]),
          summary: '## Summary\nAll is well.',
          updatedAt: null,
          warnings: [],
          warningCount: 0,
          recordJson: JSON.stringify(record),
        },
      ],
      rejected: [],
      next: null,
    });
  });

  test('adds the recording user as host unless invited', async () => {
    const { participants } = await change({
      calendar_invitees: [{ name: 'Grace', email: null, is_external: true }],
    });
    expect(participants).toEqual([
      { name: 'Grace', email: null, role: 'guest' },
      { name: 'Rita Recorder', email: 'RITA@house.example', role: 'host' },
    ]);
  });

  test('that is still processed has no end, transcript or summary', async () => {
    const pending = { recording_end_time: null, transcript: null, default_summary: null, recorded_by: null };
    expect(await change(pending)).toMatchObject({
      durationSeconds: null,
      transcriptJson: null,
      summary: null,
      warningCount: 0,
    });
  });

  test('falls back to the calendar title and the scheduled start, and to the recording start as creation', async () => {
    expect(await change({ title: null, recording_start_time: undefined })).toMatchObject({
      title: 'QBR',
      startedAt: new Date('2026-11-20T16:00:00Z'),
      durationSeconds: null,
    });
    expect((await change({ created_at: undefined })).createdAt).toEqual(new Date('2026-11-20T16:01:12Z'));
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['recording_end_time', { recording_end_time: '2026-11-20T10:00:00Z' }, 'recording_end_time'],
    ['calendar_invitees', { calendar_invitees: 'none' }, 'calendar_invitees'],
    [
      'is_external',
      { calendar_invitees: [{ name: 'A', is_external: 'no' }] },
      'calendar_invitees[0].is_external',
    ],
    ['recorded_by', { recorded_by: 'Rita' }, 'recorded_by'],
    ['recorded_by.email', { recorded_by: { name: 'R', email: 7 } }, 'recorded_by.email'],
    [
      'speaker',
      { transcript: [{ speaker: 'Rita', text: 'x', timestamp: '00:00:01' }] },
      'transcript[0].speaker',
    ],
    [
      'display_name',
      { transcript: [{ speaker: { display_name: 7 }, text: 'x' }] },
      'transcript[0].speaker.display_name',
    ],
    ['timestamp', { transcript: [{ text: 'x', timestamp: 'soon' }] }, 'transcript[0].timestamp'],
    ['text', { transcript: [{ text: null, timestamp: '00:00:01' }] }, 'transcript[0].text'],
    ['default_summary', { default_summary: 'text' }, 'default_summary'],
    [
      'markdown_formatted',
      { default_summary: { markdown_formatted: {} } },
      'default_summary.markdown_formatted',
    ],
  ])('with a malformed %s is kept, with a warning', async (_field, fields, path) => {
    const { warnings } = await change(fields);
    expect(warnings.map((warning) => warning.path)).toEqual([path]);
  });

  test('without a recording_id or any creation time is rejected', async () => {
    const { meetings, rejected } = await read(
      { ...MEETING, recording_id: null },
      { ...MEETING, created_at: 'soon', recording_start_time: null },
      MEETING,
    );
    expect(meetings).toHaveLength(1);
    expect(rejected.map(({ reason }) => reason.split(':')[0])).toEqual(['recording_id', 'created_at']);
  });
});

describe('the service with RECORDER_PROVIDER=fathom', () => {
  test('connects, syncs all pages, and logs neither keys nor persons', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    const { app, provider } = await connector({ count: 25, api: fathomApi() }, ENV, log);
    const tenant = await connectedTenant(app);
    expect(provider.requests.map(({ path }) => path)).toEqual(['/external/v1/teams']);
    const run = await syncOf(app, tenant);
    expect(run).toMatchObject({ status: 'succeeded', pages: 3, fetched: 25, stored: 25, warnings: 0 });
    expect(await idsOf(app, tenant, { first: 100 })).toEqual(Array.from({ length: 25 }, (_, n) => String(n)));
    expect(await meetingOf(app, tenant, '1')).toMatchObject({
      title: 'Meeting 1',
      participantsJson: [
        { name: 'Guest 1', email: 'GUEST.1@Example.COM', role: 'guest' },
        { name: 'Host', email: 'host@example.com', role: 'host' },
      ],
      transcriptJson: [
        { speaker: 'Host', startTime: 0, endTime: 5 },
        { speaker: 'Guest 1', startTime: 5, endTime: null },
      ],
      summaryText: 'They met as number 1.',
    });
    const { edges } = await activitiesOf(app, tenant, { first: 2 });
    expect(edges[1]?.node).toMatchObject({
      externalId: 'recorder_1',
      personExternalId: 'guest.1@example.com',
      properties: { durationSeconds: 1_801, participantCount: 2 },
    });
    // A second sync stores nothing twice.
    expect(await syncOf(app, tenant)).toMatchObject({ status: 'succeeded', stored: 0 });
    const logged = lines.join('');
    expect(logged).toContain('meeting sync ended');
    for (const secret of [API_KEY, 'example.com', 'What was said']) expect(logged).not.toContain(secret);
  });

  test('does not store a key that the provider refuses', async () => {
    const { app } = await connector({ api: fathomApi() }, ENV);
    const tenant = await app.newTenant();
    const answer = await app.graphql(CONNECT, { apiKey: INVALID_KEY }, tenant.write);
    expect(codeOf(answer)).toBe('PROVIDER_KEY_INVALID');
    expect(await app.models.ProviderConnection.countDocuments()).toBe(0);
  });

  test('paces two tenants with one key together', async () => {
    const { app, provider } = await connector(
      { count: 25, api: fathomApi() },
      { ...ENV, CONNECTOR_PACING: '150ms' },
    );
    const apiKey = newKey();
    const tenants = await Promise.all([app.newTenant(), app.newTenant()]);
    for (const { write } of tenants) await app.graphql(CONNECT, { apiKey }, write);
    const started = await Promise.all(
      tenants.map(async (tenant) => [tenant, await startSync(app, tenant)] as const),
    );
    for (const [tenant, { id }] of started)
      expect(await ended(app, tenant, id)).toMatchObject({ status: 'succeeded', stored: 25 });
    const pages = provider.requests.filter(({ path }) => path.endsWith('/meetings'));
    expect(pages).toHaveLength(6);
    // Five intervals; half of the limit is twice the interval.
    expect((pages.at(-1)?.at ?? 0) - (pages[0]?.at ?? 0)).toBeGreaterThanOrEqual(5 * 300 - 100);
  });
});
