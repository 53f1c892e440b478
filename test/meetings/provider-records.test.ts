import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProviderPage } from '../../src/features/meetings/provider/provider.types.ts';
import { meetingJson, withMeetings } from '../support/provider.ts';
import { clientOf, firstPage, pacingDatabase } from './provider-support.ts';

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
const good = meetingJson(1);
const changed = (change: Record<string, unknown>) => ({ ...meetingJson(0), ...change });
const participant = { name: 'A', email: 'a@example.com', role: 'guest' };
const segment = { speaker: 'A', text: 'Hello.', start_time: 1, end_time: 2 };

describe('a malformed meeting is rejected with the names of its fields, and the rest of its page is accepted:', () => {
  test.each<[string, unknown, string]>([
    ['no object', SECRET, 'meeting'],
    ['null', null, 'meeting'],
    ['a list', [SECRET], 'meeting'],
    ['no id', changed({ id: undefined }), 'id'],
    ['id null', changed({ id: null }), 'id'],
    ['id empty', changed({ id: '' }), 'id'],
    ['id too long', changed({ id: SECRET.repeat(21) }), 'id'],
    ['id no whole number', changed({ id: 1.5 }), 'id'],
    ['id a number that has lost digits', changed({ id: 2 ** 60 }), 'id'],
    ['id an object', changed({ id: { $ne: SECRET } }), 'id'],
    ['title', changed({ title: 7 }), 'title'],
    ['title too long', changed({ title: SECRET.repeat(200) }), 'title'],
    ['no created_at', changed({ created_at: undefined }), 'created_at'],
    ['created_at null', changed({ created_at: null }), 'created_at'],
    ['created_at no date', changed({ created_at: SECRET }), 'created_at'],
    ['created_at impossible', changed({ created_at: '2026-02-30T10:00:00Z' }), 'created_at'],
    ['created_at a number', changed({ created_at: 1_700_000_000 }), 'created_at'],
    ['started_at no date', changed({ started_at: SECRET }), 'started_at'],
    ['duration_seconds text', changed({ duration_seconds: '60' }), 'duration_seconds'],
    ['duration_seconds negative', changed({ duration_seconds: -1 }), 'duration_seconds'],
    ['duration_seconds without end', changed({ duration_seconds: 1e300 }), 'duration_seconds'],
    ['participants no list', changed({ participants: { 0: participant } }), 'participants'],
    ['participants too many', changed({ participants: Array(1_001).fill(participant) }), 'participants'],
    ['participant null', changed({ participants: [participant, null] }), 'participants[1]'],
    ['participant name', changed({ participants: [{ ...participant, name: 7 }] }), 'participants[0].name'],
    [
      'participant email',
      changed({ participants: [{ ...participant, email: [SECRET] }] }),
      'participants[0].email',
    ],
    ['participant role', changed({ participants: [{ ...participant, role: {} }] }), 'participants[0].role'],
    ['transcript text', changed({ transcript: SECRET }), 'transcript'],
    ['transcript too many', changed({ transcript: Array(20_001).fill(segment) }), 'transcript'],
    [
      'transcript too long in all',
      changed({ transcript: Array(100).fill({ ...segment, text: 'a'.repeat(32_000) }) }),
      'transcript',
    ],
    ['segment null', changed({ transcript: [null] }), 'transcript[0]'],
    ['segment speaker', changed({ transcript: [{ ...segment, speaker: 7 }] }), 'transcript[0].speaker'],
    ['segment without text', changed({ transcript: [{ speaker: 'A' }] }), 'transcript[0].text'],
    ['segment text too long', changed({ transcript: [{ text: 'a'.repeat(32_769) }] }), 'transcript[0].text'],
    [
      'segment start_time',
      changed({ transcript: [{ ...segment, start_time: '1' }] }),
      'transcript[0].start_time',
    ],
    ['segment startTime', changed({ transcript: [{ text: '', startTime: -1 }] }), 'transcript[0].startTime'],
    ['segment end_time', changed({ transcript: [{ ...segment, end_time: true }] }), 'transcript[0].end_time'],
    ['segment endTime', changed({ transcript: [{ text: '', endTime: {} }] }), 'transcript[0].endTime'],
    ['summary', changed({ summary: [SECRET] }), 'summary'],
    ['summary too long', changed({ summary: 'a'.repeat(100_001) }), 'summary'],
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

  test('the first three problems are named, and the others counted', async () => {
    const { rejected } = await ask(changed({ transcript: Array(500).fill({ speaker: 'A' }) }));
    expect(rejected[0]?.reason).toMatch(
      /^transcript\[0\]\.text: .*transcript\[2\]\.text: [^;]*; and 497 more$/,
    );
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
      transcript: [],
      summary: null,
    });
  });

  test('with null for every nullable field', async () => {
    const nothing = { title: null, started_at: null, duration_seconds: null, participants: null };
    const meeting = await only(changed({ ...nothing, transcript: null, summary: null }));
    expect(meeting).toMatchObject({ title: null, durationSeconds: null, participants: [], transcript: [] });
    expect(meeting?.startedAt).toEqual(meeting?.createdAt);
  });

  test('with a numeric id', async () => {
    expect((await only(changed({ id: 4711 })))?.id).toBe('4711');
  });

  test.each([
    ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00.000Z'],
    ['2026-11-20T10:00:00.123456+02:00', '2026-11-20T08:00:00.123Z'],
    ['2026-11-20T10:00:00', '2026-11-20T10:00:00.000Z'],
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
    expect(meeting?.transcript).toEqual([
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
      { name: '', email: null, role: null },
    ]);
  });

  test('without its unknown fields, on every level', async () => {
    const unknown = { extra: SECRET, $where: SECRET, ['__proto__']: { polluted: true } };
    const json = changed({
      ...unknown,
      participants: [{ ...participant, ...unknown }],
      transcript: [{ ...segment, ...unknown, confidence: 0.9 }],
    });
    expect(JSON.stringify(await only(json))).not.toContain(SECRET);
    expect('polluted' in {}).toBe(false);
  });

  test('whose transcript arrives later', async () => {
    const { provider, client } = await clientOf(database, { count: 1 });
    const meeting = provider.meetings.at(0);
    const transcript = meeting?.transcript;
    if (!meeting || !transcript) throw new Error('the fake provider has no such meeting');
    meeting.transcript = [];
    expect((await firstPage(client)).meetings[0]?.transcript).toEqual([]);
    meeting.transcript = transcript;
    expect((await firstPage(client)).meetings[0]?.transcript).toHaveLength(2);
  });
});
