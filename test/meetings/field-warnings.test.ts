import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { meetingJson, withMeetings } from '../support/provider.ts';
import { API_KEY, connectedTenant, connector, idsOf, meetingOf, runsOf, syncOf } from './support.ts';

const SECRET = 'Confidential Person';
const base = (id: number) => ({ ...meetingJson(id), summary: SECRET });
const without = (id: number, field: string) => ({ ...base(id), [field]: undefined });

/** Records as providers send them; the first seven have no usable id or creation time. */
const ODD_RECORDS: unknown[] = [
  SECRET,
  null,
  without(2, 'id'),
  { ...base(3), id: '' },
  { ...base(4), id: { value: SECRET } },
  without(5, 'created_at'),
  { ...base(6), created_at: '2026-02-30T10:00:00Z' },
  { ...base(7), id: 0 },
  { ...base(8), id: 4711 },
  { ...base(9), created_at: '2026-11-20T10:00:00' },
  { ...base(10), title: { text: SECRET } },
  { ...base(11), title: SECRET.repeat(1_000) },
  { ...base(12), started_at: 'yesterday' },
  { ...base(13), duration_seconds: '1800' },
  { ...base(14), duration_seconds: 'half an hour' },
  { ...base(15), duration_seconds: -5 },
  { ...base(16), duration_seconds: 59.6 },
  { ...base(17), participants: null, transcript: null },
  { ...base(18), participants: { name: SECRET } },
  { ...base(19), participants: [{ name: [SECRET], email: 'p@example.com' }, SECRET, { name: 7 }] },
  { ...base(20), transcript: SECRET },
  { ...base(21), transcript: [{ speaker: {}, text: SECRET }, { speaker: SECRET }, null] },
  { ...base(22), transcript: [{ speaker: SECRET, text: SECRET, start_time: '1.5', end_time: 'later' }] },
  { ...base(23), summary: [SECRET] },
  { ...base(24), title: 'a\ud800b\u0000' },
  { ...base(25), transcript: Array(20_001).fill({ speaker: 'A', text: 'x' }) },
  { id: 'bare', created_at: '2026-11-20T10:00:00Z' },
  { ...base(13), title: 'The same meeting, later on the page', duration_seconds: '1800' },
];

const ofParticipant = (field: string) => (field ? `participants[0].${field}` : 'participants[0]');
const withParticipants = (id: number, ...participants: unknown[]) => ({ ...base(id), participants });
const withSpeaker = (id: number, speaker: unknown) => ({
  ...base(id),
  transcript: [{ speaker, text: 'x', start_time: 0, end_time: 1 }],
});

/** Further odd records, with the malformed fields of those that are kept; null for a rejected one. */
const ODD_VALUES: [unknown, string[] | null][] = [
  [[], null],
  [{ ...base(30), id: 1.5 }, null],
  [{ ...base(31), id: 'x'.repeat(501) }, null],
  [{ ...base(32), id: ' \t' }, null],
  [{ ...base(33), id: [] }, null],
  [{ ...base(34), created_at: 1_763_632_800 }, null],
  [{ ...base(35), created_at: '' }, null],
  [{ ...base(36), id: 'x'.repeat(500) }, []],
  [{ ...base(37), id: -1 }, []],
  [{ ...base(38), created_at: '0000-01-01T00:00:00Z' }, []],
  [{ ...base(39), created_at: '9999-12-31T23:59:59.999+00:00' }, []],
  [{ ...base(40), duration_seconds: 1e300 }, ['duration_seconds']],
  [{ ...base(41), duration_seconds: 'NaN' }, ['duration_seconds']],
  [{ ...base(42), duration_seconds: [1800] }, ['duration_seconds']],
  [{ ...base(43), started_at: 0 }, ['started_at']],
  [{ ...base(44), title: true, summary: 7 }, ['title', 'summary']],
  [withParticipants(45, null, [], 7), ['participants[0]', 'participants[1]', 'participants[2]']],
  [withParticipants(46, { name: 'a\ud800b' }), ['participants[0].name', 'participants[0]']],
  [withParticipants(47, { name: '\u0000', email: 'p@example.com' }), ['participants[0].name']],
  [withParticipants(48, { name: '\u200b ', email: 'p@example.com' }), ['participants[0].name']],
  [withParticipants(49, { name: 'P\u001b[31m', email: '@' }), ['name', 'email', ''].map(ofParticipant)],
  [withParticipants(50, { name: 'P', email: 'p@\u0000' }), ['participants[0].email']],
  [withParticipants(51, { name: 'P'.repeat(501), email: 'p@example.com' }), ['participants[0].name']],
  [withParticipants(52, { name: 'Zoë 王\tMüller\u{1f600}', role: [] }), ['participants[0].role']],
  [withSpeaker(53, '\ud83d'), ['transcript[0].speaker']],
  [withSpeaker(54, ['P']), ['transcript[0].speaker']],
  [
    { ...base(55), transcript: [[], { text: 'x', start_time: '', end_time: {} }] },
    ['[0]', '[1].end_time'].map((path) => `transcript${path}`),
  ],
  [{ ...base(56), transcript: { 0: { text: 'x' } } }, ['transcript']],
];

describe('a sync of odd records', () => {
  test('keeps every record with an id and a creation time, and stores no unusable text as a name', async () => {
    const { app, provider } = await connector();
    const tenant = await connectedTenant(app);
    provider.script(withMeetings(...ODD_VALUES.map(([record]) => record)));
    const run = await syncOf(app, tenant);
    const kept = ODD_VALUES.flatMap(([record, paths]) =>
      paths === null ? [] : [{ id: String((record as { id: unknown }).id), paths }],
    );
    expect(run).toMatchObject({ status: 'succeeded', fetched: 28, rejected: 7, stored: 21, updated: 0 });
    expect(run.warningDetails.map(({ meeting, path }) => `${meeting} ${path}`)).toEqual(
      kept.flatMap(({ id, paths }) => paths.map((path) => `${id} ${path}`)),
    );
    expect(run.warnings).toBe(run.warningDetails.length);
    expect((await idsOf(app, tenant, { first: 100 })).toSorted()).toEqual(
      kept.map(({ id }) => id).toSorted(),
    );

    const namesOf = async (id: string) => {
      const { participantsJson, transcriptJson } = (await meetingOf(app, tenant, id)) as unknown as {
        participantsJson: { name: string }[];
        transcriptJson: { speaker: string | null }[] | null;
      };
      return [participantsJson.map(({ name }) => name), transcriptJson?.map(({ speaker }) => speaker)];
    };
    for (const id of ['m45', 'm46', 'm49']) expect((await namesOf(id))[0]).toEqual([]);
    for (const id of ['m47', 'm48', 'm51']) expect((await namesOf(id))[0]).toEqual(['p@example.com']);
    expect((await namesOf('m50'))[0]).toEqual(['P']);
    expect((await namesOf('m52'))[0]).toEqual(['Zoë 王\tMüller\u{1f600}']);
    for (const id of ['m53', 'm54', 'm55']) expect((await namesOf(id))[1]).toEqual([null]);
  });

  test('rejects those without an id or creation time only, and reports every malformed field', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    const { app, provider } = await connector({}, {}, log);
    const tenant = await connectedTenant(app);
    provider.script(withMeetings(...ODD_RECORDS));
    const run = await syncOf(app, tenant);
    expect(run).toMatchObject({ status: 'succeeded', fetched: 28, rejected: 7, stored: 20, updated: 1 });
    expect(run.warningDetails.map(({ meeting, path }) => `${meeting} ${path}`)).toEqual([
      'm10 title',
      'm11 title',
      'm12 started_at',
      'm13 duration_seconds',
      'm14 duration_seconds',
      'm15 duration_seconds',
      'm18 participants',
      'm19 participants[0].name',
      'm19 participants[1]',
      'm19 participants[2].name',
      'm19 participants[2]',
      'm20 transcript',
      'm21 transcript[0].speaker',
      'm21 transcript[1].text',
      'm21 transcript[2]',
      'm22 transcript[0].start_time',
      'm22 transcript[0].end_time',
      'm23 summary',
      'm25 transcript',
    ]);
    expect(run.warnings).toBe(19);
    expect(JSON.stringify(run)).not.toContain(SECRET);
    expect(await idsOf(app, tenant, { first: 100 })).toHaveLength(20);

    expect(await meetingOf(app, tenant, 'm19')).toMatchObject({
      participantsJson: [{ name: 'p@example.com', email: 'p@example.com', role: null }],
      warnings: [
        { path: 'participants[0].name', reason: 'expected text' },
        { path: 'participants[1]', reason: 'expected an object' },
        { path: 'participants[2].name', reason: 'expected text' },
        { path: 'participants[2]', reason: 'participant without a name or an email address' },
      ],
    });
    expect(await meetingOf(app, tenant, 'm13')).toMatchObject({
      title: 'The same meeting, later on the page',
      warnings: [{ path: 'duration_seconds', reason: 'number given as text' }],
    });
    expect(await meetingOf(app, tenant, '0')).toMatchObject({ warnings: [] });

    const logged = lines.join('');
    expect(logged).toContain('meeting rejected');
    for (const secret of [SECRET, 'p@example.com', 'guest.7@example.com', API_KEY])
      expect(logged).not.toContain(secret);
  });

  test('lists the first hundred malformed fields over all pages, and counts all', async () => {
    const { app, provider } = await connector({ count: 60 });
    const tenant = await connectedTenant(app);
    const malformed = { transcript: [{ text: 'x', start_time: -1, end_time: -1 }] };
    for (const meeting of provider.meetings as unknown as object[]) Object.assign(meeting, malformed);
    const run = await syncOf(app, tenant);
    expect(run).toMatchObject({ pages: 2, stored: 60, warnings: 120 });
    expect(run.warningDetails).toHaveLength(100);
    expect(run.warningDetails.at(-1)).toEqual({
      meeting: 'm49',
      path: 'transcript[0].end_time',
      reason: 'expected seconds from 0 to 31536000',
    });
    // The second sync finds the meetings well-formed.
    for (const meeting of provider.meetings as unknown as object[])
      Object.assign(meeting, { transcript: [] });
    expect(await syncOf(app, tenant)).toMatchObject({ warnings: 0, warningDetails: [] });
    expect(await meetingOf(app, tenant, 'm0')).toMatchObject({ warnings: [] });
  });

  test('runs and meetings of an earlier version have no warnings', async () => {
    const { app } = await connector({ count: 1 });
    const tenant = await connectedTenant(app);
    await syncOf(app, tenant);
    const { customerId } = tenant;
    await app.models.MeetingSyncRun.updateMany(
      { customerId },
      { $unset: { warnings: 1, warningDetails: 1 } },
    );
    await app.models.Meeting.updateMany({ customerId }, { $unset: { warnings: 1 } });
    expect((await runsOf(app, tenant)).edges[0]?.node).toMatchObject({ warnings: 0, warningDetails: [] });
    expect(await meetingOf(app, tenant, 'm0')).toMatchObject({ warnings: [] });
  });
});
