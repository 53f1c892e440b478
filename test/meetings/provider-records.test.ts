import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type {
  ProviderMeeting,
  ProviderPage,
  ProviderSegment,
} from '../../src/features/meetings/provider/provider.types.ts';
import { meetingJson, withMeetings } from '../support/provider.ts';
import { clientOf, firstPage, pacingDatabase, segmentsOf } from './provider-support.ts';

let database: Awaited<ReturnType<typeof pacingDatabase>>;
beforeAll(async () => {
  database = await pacingDatabase();
});
afterAll(() => database.stop());

/** Reads a page with exactly these meetings. */
async function ask(...meetings: unknown[]): Promise<ProviderPage> {
  const { provider, client } = await clientOf(database);
  provider.script(withMeetings(...meetings));
  return firstPage(client);
}
const SECRET = 'top secret';
type MeetingWithSegments = ProviderMeeting & { transcript: ProviderSegment[] };
const good = meetingJson(1);
const changed = (change: Record<string, unknown>) => ({ ...meetingJson(0), ...change });
const participant = { name: 'A', email: 'a@example.com', role: 'guest' };
const segment = { speaker: 'A', text: 'Hello.', start_time: 1, end_time: 2 };
const stored = { speaker: 'A', text: 'Hello.', startTime: 1, endTime: 2 };

describe('a meeting is rejected without a usable id or creation time, and the rest of its page is accepted:', () => {
  test.each<[string, unknown, string]>([
    ['no object', SECRET, 'meeting'],
    ['null', null, 'meeting'],
    ['a list', [SECRET], 'meeting'],
    ['no id', changed({ id: undefined }), 'id'],
    ['id null', changed({ id: null }), 'id'],
    ['id empty', changed({ id: '' }), 'id'],
    ['id blank', changed({ id: ' \t' }), 'id'],
    ['id too long', changed({ id: SECRET.repeat(51) }), 'id'],
    ['id no whole number', changed({ id: 1.5 }), 'id'],
    ['id a number without its digits', changed({ id: 1e21 }), 'id'],
    ['id a boolean', changed({ id: true }), 'id'],
    ['id an object', changed({ id: { $ne: SECRET } }), 'id'],
    ['no created_at', changed({ created_at: undefined }), 'created_at'],
    ['created_at null', changed({ created_at: null }), 'created_at'],
    ['created_at no date', changed({ created_at: SECRET }), 'created_at'],
    ['created_at impossible', changed({ created_at: '2026-02-30T10:00:00Z' }), 'created_at'],
    ['created_at a number', changed({ created_at: 1_700_000_000 }), 'created_at'],
  ])('%s', async (_what, bad, field) => {
    const page = await ask(bad, good);
    expect(page.meetings.map(({ id }) => id)).toEqual(['m1']);
    const [rejected, ...others] = page.rejected;
    expect(others).toEqual([]);
    expect(rejected?.id).toBe(field === 'id' || field === 'meeting' ? null : 'm0');
    expect(rejected?.reason.split(': ')[0]).toBe(field);
    expect(rejected?.reason).not.toContain(SECRET);
    expect(rejected?.reason.length).toBeLessThan(300);
  });

  test('both named if neither is usable', async () => {
    const { rejected } = await ask(changed({ id: '', created_at: SECRET }));
    expect(rejected).toEqual([{ id: null, reason: expect.stringMatching(/^id: .*; created_at: /) }]);
  });
});

describe('a malformed field is null or left out, and noted as a warning without its value:', () => {
  const LONG = SECRET.repeat(200);
  test.each<[string, Record<string, unknown>, string, Partial<MeetingWithSegments>]>([
    ['title', { title: 7 }, 'title', { title: null }],
    ['title too long', { title: LONG }, 'title', { title: null }],
    ['duration_seconds text', { duration_seconds: SECRET }, 'duration_seconds', { durationSeconds: null }],
    ['duration_seconds signed', { duration_seconds: '-60' }, 'duration_seconds', { durationSeconds: null }],
    ['duration_seconds hex', { duration_seconds: '0x10' }, 'duration_seconds', { durationSeconds: null }],
    ['duration_seconds negative', { duration_seconds: -1 }, 'duration_seconds', { durationSeconds: null }],
    ['duration_seconds huge', { duration_seconds: 1e300 }, 'duration_seconds', { durationSeconds: null }],
    ['duration_seconds list', { duration_seconds: [60] }, 'duration_seconds', { durationSeconds: null }],
    [
      'duration_seconds a number as text',
      { duration_seconds: '1800' },
      'duration_seconds',
      { durationSeconds: 1800 },
    ],
    [
      'duration_seconds a fraction as text',
      { duration_seconds: ' 59.6 ' },
      'duration_seconds',
      { durationSeconds: 60 },
    ],
    ['updated_at', { updated_at: 'yesterday' }, 'updated_at', { updatedAt: null }],
    ['participants no list', { participants: { 0: participant } }, 'participants', { participants: [] }],
    ['participants text', { participants: SECRET }, 'participants', { participants: [] }],
    [
      'participant null',
      { participants: [participant, null] },
      'participants[1]',
      { participants: [participant] },
    ],
    [
      'participant a list',
      { participants: [[SECRET], participant] },
      'participants[0]',
      { participants: [participant] },
    ],
    [
      'participant name',
      { participants: [{ ...participant, name: { first: SECRET } }] },
      'participants[0].name',
      { participants: [{ ...participant, name: 'a@example.com' }] },
    ],
    [
      'participant without name or email',
      { participants: [{ role: 'guest' }, participant] },
      'participants[0]',
      { participants: [participant] },
    ],
    [
      'participant email',
      { participants: [{ ...participant, email: [SECRET] }] },
      'participants[0].email',
      { participants: [{ ...participant, email: null }] },
    ],
    [
      'participant telephone number',
      { participants: [{ ...participant, email: '+49 30 123456' }] },
      'participants[0].email',
      { participants: [{ ...participant, email: null }] },
    ],
    [
      'participant role',
      { participants: [{ ...participant, role: {} }] },
      'participants[0].role',
      { participants: [{ ...participant, role: null }] },
    ],
    ['transcript text', { transcript: SECRET }, 'transcript', { transcript: [] }],
    ['transcript an object', { transcript: { segments: [segment] } }, 'transcript', { transcript: [] }],
    ['segment null', { transcript: [null, segment] }, 'transcript[0]', { transcript: [stored] }],
    [
      'segment speaker',
      { transcript: [{ ...segment, speaker: 7 }] },
      'transcript[0].speaker',
      { transcript: [{ ...stored, speaker: null }] },
    ],
    [
      'segment without text',
      { transcript: [segment, { speaker: 'A' }] },
      'transcript[1].text',
      { transcript: [stored] },
    ],
    [
      'segment text a number',
      { transcript: [{ ...segment, text: 7 }] },
      'transcript[0].text',
      { transcript: [] },
    ],
    [
      'segment text too long',
      { transcript: [{ text: 'a'.repeat(32_769) }] },
      'transcript[0].text',
      { transcript: [] },
    ],
    [
      'segment start_time as text',
      { transcript: [{ ...segment, start_time: '1.5' }] },
      'transcript[0].start_time',
      { transcript: [{ ...stored, startTime: 1.5 }] },
    ],
    [
      'segment startTime',
      { transcript: [{ text: 'x', startTime: -1 }] },
      'transcript[0].startTime',
      { transcript: [{ speaker: null, text: 'x', startTime: null, endTime: null }] },
    ],
    [
      'segment end_time',
      { transcript: [{ ...segment, end_time: true }] },
      'transcript[0].end_time',
      { transcript: [{ ...stored, endTime: null }] },
    ],
    ['summary', { summary: [SECRET] }, 'summary', { summary: null }],
    ['summary too long', { summary: 'a'.repeat(100_001) }, 'summary', { summary: null }],
  ])('%s', async (_what, change, path, expected) => {
    const { meetings, rejected } = await ask(changed(change), good);
    expect(rejected).toEqual([]);
    expect(meetings.map(({ id }) => id)).toEqual(['m0', 'm1']);
    const [{ recordJson: _record, ...meeting }] = meetings as [ProviderMeeting];
    expect({ ...meeting, transcript: segmentsOf(meeting) }).toMatchObject(expected);
    expect(meeting.warnings).toEqual([{ path, reason: expect.any(String) }]);
    expect(meeting.warningCount).toBe(1);
    expect(JSON.stringify(meeting)).not.toContain(SECRET);
    expect(meetings[1]?.warnings).toEqual([]);
  });

  test('started_at, which is then the creation time', async () => {
    const { meetings } = await ask(changed({ started_at: SECRET }));
    expect(meetings[0]?.startedAt).toEqual(meetings[0]?.createdAt);
    expect(meetings[0]?.warnings.map(({ path }) => path)).toEqual(['started_at']);
  });

  test('excessively long lists, whose beginning is kept', async () => {
    const { meetings } = await ask(
      changed({ participants: Array(1_001).fill(participant), transcript: Array(20_001).fill(segment) }),
      changed({ transcript: Array(100).fill({ ...segment, text: 'a'.repeat(32_000) }) }),
    );
    expect(meetings[0]?.participants).toHaveLength(1_000);
    expect(meetings.map((meeting) => segmentsOf(meeting).length)).toEqual([20_000, 68]);
    expect(meetings[0]?.warnings.map(({ path }) => path)).toEqual(['participants', 'transcript']);
    expect(meetings[1]?.warnings.map(({ path }) => path)).toEqual(['transcript']);
  });

  test('the first hundred are listed, and all are counted', async () => {
    const { meetings } = await ask(changed({ transcript: Array(500).fill({ speaker: 'A' }) }));
    expect(meetings[0]?.warnings).toHaveLength(100);
    expect(meetings[0]?.warningCount).toBe(500);
  });

  test('lone surrogates are replaced, and control characters kept', async () => {
    const { meetings } = await ask(changed({ id: 'a\ud800', title: 'b\udfff\u0000\u001b' }));
    expect(meetings[0]).toMatchObject({ id: 'a\ufffd', title: 'b\ufffd\u0000\u001b', warningCount: 0 });
  });
});

describe('a meeting is accepted', () => {
  const only = async (json: unknown) => {
    const page = await ask(json);
    expect(page.rejected).toEqual([]);
    return page.meetings[0];
  };

  test('with its id and creation alone', async () => {
    const at = new Date('2026-11-20T10:00:00.000Z');
    expect(await only({ id: 'x', created_at: at.toISOString() })).toEqual({
      id: 'x',
      title: null,
      createdAt: at,
      startedAt: at,
      durationSeconds: null,
      participants: [],
      transcriptJson: null,
      summary: null,
      updatedAt: null,
      warnings: [],
      warningCount: 0,
      recordJson: JSON.stringify({ id: 'x', created_at: at.toISOString() }),
    });
  });

  test('with null for every nullable field', async () => {
    const nothing = { title: null, started_at: null, duration_seconds: null, participants: null };
    const meeting = await only(changed({ ...nothing, transcript: null, summary: null }));
    expect(meeting).toMatchObject({
      title: null,
      durationSeconds: null,
      participants: [],
      transcriptJson: null,
    });
    expect(meeting?.startedAt).toEqual(meeting?.createdAt);
  });

  test.each([
    [4711, '4711'],
    [0, '0'],
  ])('with the numeric id %d', async (id, expected) => {
    expect((await only(changed({ id })))?.id).toBe(expected);
  });

  test('with the address of a participant, without white space around it', async () => {
    const participants = [{ name: 'Ann', email: ' Ann@Example.com\t' }];
    expect((await only(changed({ participants })))?.participants).toEqual([
      { name: 'Ann', email: 'Ann@Example.com', role: null },
    ]);
  });

  test('with the time of its last change', async () => {
    const updated_at = '2026-11-21T08:00:00.000Z';
    expect((await only(changed({ updated_at })))?.updatedAt?.toISOString()).toBe(updated_at);
  });

  test('with its record as the provider sent it, but for the transcript', async () => {
    const json = changed({ extra: { deep: [1, null] }, transcript: [segment] });
    const { transcript: _transcript, ...record } = json;
    expect(JSON.parse((await only(json))?.recordJson ?? '')).toEqual(record);
  });

  test.each([
    ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00.000Z'],
    ['2026-11-20T10:00:00.123456+02:00', '2026-11-20T08:00:00.123Z'],
    ['2026-11-20T10:00:00', '2026-11-20T10:00:00.000Z'],
    ['2026-11-20T10:00+0200', '2026-11-20T08:00:00.000Z'],
    ['2026-11-20', '2026-11-20T00:00:00.000Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
  ])('that was created at %s', async (created_at, iso) => {
    expect((await only(changed({ created_at })))?.createdAt.toISOString()).toBe(iso);
  });

  test('that started at a time other than its creation', async () => {
    const meeting = await only(
      changed({ created_at: '2026-11-20T10:00:00Z', started_at: '2026-11-20T10:05:00Z' }),
    );
    expect(meeting?.startedAt.toISOString()).toBe('2026-11-20T10:05:00.000Z');
  });

  test('with a fractional duration, rounded to seconds', async () => {
    expect((await only(changed({ duration_seconds: 59.6 })))?.durationSeconds).toBe(60);
  });

  test('with segment times in either spelling, or none', async () => {
    const meeting = await only(
      changed({
        transcript: [
          { speaker: 'A', text: 'one', start_time: 0, end_time: 1.5 },
          { speaker: null, text: 'two', startTime: 2, endTime: 3 },
          { text: '' },
        ],
      }),
    );
    expect(meeting && segmentsOf(meeting)).toEqual([
      { speaker: 'A', text: 'one', startTime: 0, endTime: 1.5 },
      { speaker: null, text: 'two', startTime: 2, endTime: 3 },
      { speaker: null, text: '', startTime: null, endTime: null },
    ]);
  });

  test('with participants unchanged: an e-mail in its original case, none, or invalid text', async () => {
    const meeting = await only(
      changed({
        participants: [
          { name: 'Room', role: 'guest' },
          { name: 'Upper', email: 'Upper.Case@EXAMPLE.com', role: 'host' },
          { email: 'nameless@example.com' },
          { name: 'Telephone', email: '+49 30 123456', role: null },
          { name: '', email: '' },
        ],
      }),
    );
    expect(meeting?.participants).toEqual([
      { name: 'Room', email: null, role: 'guest' },
      { name: 'Upper', email: 'Upper.Case@EXAMPLE.com', role: 'host' },
      { name: 'nameless@example.com', email: 'nameless@example.com', role: null },
      { name: 'Telephone', email: null, role: null },
    ]);
  });

  test('without its unknown fields, on every level', async () => {
    const unknown = { extra: SECRET, $where: SECRET, ['__proto__']: { polluted: true } };
    const json = changed({
      ...unknown,
      participants: [{ ...participant, ...unknown }],
      transcript: [{ ...segment, ...unknown, confidence: 0.9 }],
    });
    expect(JSON.stringify({ ...(await only(json)), recordJson: null })).not.toContain(SECRET);
    expect('polluted' in {}).toBe(false);
  });

  test('whose transcript arrives later', async () => {
    const { provider, client } = await clientOf(database, { count: 1 });
    const meeting = provider.meetings.at(0);
    const transcript = meeting?.transcript;
    if (!meeting || !transcript) throw new Error('the fake provider has no such meeting');
    meeting.transcript = [];
    const lengths = async () => (await firstPage(client)).meetings.map((found) => segmentsOf(found).length);
    expect(await lengths()).toEqual([0]);
    meeting.transcript = transcript;
    expect(await lengths()).toEqual([2]);
  });
});
