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

describe('a sync of odd records', () => {
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
