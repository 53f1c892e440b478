import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ImportReport } from '../../src/features/conversations/import/import-batches.ts';
import type { TestTenant } from '../support/app.ts';
import { converted, ended, going, type Importing, startImporting } from './import-support.ts';

let on: Importing;
let tenant: TestTenant;
beforeAll(async () => {
  on = await startImporting();
  tenant = await on.app.newTenant();
});
afterAll(() => on.stop());

const FUTURE = '2999-01-01T00:00:00Z';
const message = { role: 'visitor', text: 'Hi', sent_at: '2026-03-02T09:00:00Z' };
const { id: _, ...withoutId } = ended('x');
const { transcript: __, ...withoutTranscript } = ended('x');
const conversion = converted('x', 'y').conversion as unknown as object;

/** Lines that are wrong, and what is said of them. */
const BAD: [name: string, line: unknown, reason: string][] = [
  ['what is no JSON', '{"id": "x"', 'Is not valid JSON (character 11).'],
  ['what is no object', [], 'line: Must be an object.'],
  ['null', null, 'line: Must be an object.'],
  ['a missing id', withoutId, 'id: Is required.'],
  ['an empty id', ended('x', { id: '' }), 'id: Must not be empty.'],
  ['a long id', ended('x', { id: 'x'.repeat(501) }), 'id: Must be at most 500 characters long.'],
  [
    'half of a character',
    JSON.stringify(ended('\ud83d')),
    ['id', 'visitor_id', 'transcript.0.id', 'transcript.1.id']
      .map((path) => `${path}: Must be well-formed Unicode.`)
      .join(' '),
  ],
  ['a number for an id', ended('x', { id: 7 }), 'id: Must be text.'],
  ['no visitor', ended('x', { visitor_id: null }), 'visitor_id: Must be text.'],
  [
    'an unknown status',
    ended('x', { status: 'open' }),
    'status: Must be one of active, handed_off, ended, converted, closed.',
  ],
  ['converted as text', ended('x', { converted: 'no' }), 'converted: Must be true or false.'],
  ['an unknown key', ended('x', { Goal: 'demo' }), 'Goal: Unknown field.'],
  ['several unknown keys', ended('x', { a: 1, outcome: null }), 'a: Unknown field. outcome: Unknown field.'],
  [
    'an unknown key inside',
    ended('x', { identity: { person_id: 'p', phone: '1' } }),
    'identity.phone: Unknown field.',
  ],
  [
    'an empty identity',
    ended('x', { identity: { email: 'a@example.com' } }),
    'identity.person_id: Is required.',
  ],
  [
    'a day that does not exist',
    ended('x', { started_at: '2026-02-30T00:00:00Z' }),
    'started_at: Must be an ISO 8601 date, or date and time with an offset, such as 2026-01-31T09:30:00Z.',
  ],
  [
    'a time without an offset',
    ended('x', { ended_at: '2026-03-02T09:00:00' }),
    'ended_at: Must be an ISO 8601 date, or date and time with an offset, such as 2026-01-31T09:30:00Z.',
  ],
  [
    'a start in the future',
    ended('x', { started_at: FUTURE, ended_at: null }),
    'started_at: Must not be in the future.',
  ],
  ['an end in the future', ended('x', { ended_at: FUTURE }), 'ended_at: Must not be in the future.'],
  [
    'an end before the start',
    ended('x', { ended_at: '2020-01-01T00:00:00Z' }),
    'ended_at: Must not be before started_at.',
  ],
  [
    'an end time of an active conversation',
    { ...going('x', 'active'), ended_at: '2026-03-02T09:30:00Z' },
    'ended_at: Must be null while the status is active.',
  ],
  ['no transcript', withoutTranscript, 'transcript: Is required.'],
  ['a transcript of null', ended('x', { transcript: null }), 'transcript: Must be an array.'],
  [
    'a message without a sender',
    ended('x', { transcript: [message, { ...message, role: 'admin' }] }),
    'transcript.1.role: Must be one of visitor, bot, operator.',
  ],
  [
    'an empty message',
    ended('x', { transcript: [{ ...message, text: '' }] }),
    'transcript.0.text: Must not be empty.',
  ],
  [
    'a long message',
    ended('x', { transcript: [{ ...message, text: 'x'.repeat(32_769) }] }),
    'transcript.0.text: Must be at most 32,768 characters long.',
  ],
  [
    'a message without a time',
    ended('x', { transcript: [{ role: 'bot', text: 'Hi' }] }),
    'transcript.0.sent_at: Is required.',
  ],
  [
    'too many messages',
    ended('x', { transcript: Array.from({ length: 10_001 }, () => message) }),
    'transcript: Must have at most 10,000 messages.',
  ],
  [
    'converted without a conversion',
    ended('x', { converted: true }),
    'conversion: Must not be null, since converted is true.',
  ],
  [
    'the status converted without a conversion',
    ended('x', { status: 'converted' }),
    'conversion: Must not be null, since the status is converted.',
  ],
  [
    'a conversion that is denied',
    ended('x', { conversion }),
    'converted: Must be true, since there is a conversion.',
  ],
  [
    'a conversion in the future',
    ended('x', { converted: true, conversion: { ...conversion, recorded_at: FUTURE } }),
    'conversion.recorded_at: Must not be in the future.',
  ],
  [
    'a conversion without a goal',
    ended('x', { converted: true, conversion: { ...conversion, goal: null } }),
    'conversion.goal: Must be text.',
  ],
  [
    'a value that is text',
    ended('x', { converted: true, conversion: { ...conversion, value: '3' } }),
    'conversion.value: Must be a number.',
  ],
  [
    'more errors than are reported',
    { a: 1, b: 2 },
    'id: Is required. visitor_id: Is required. status: Is required. started_at: Is required. transcript: Is required. And 2 more.',
  ],
];

describe('conversations import of invalid lines', () => {
  let report: ImportReport;
  let code: number | null;

  // One file: each bad line has a good one behind it.
  beforeAll(async () => {
    const lines = BAD.flatMap(([, line], n) => [
      typeof line === 'string' ? line : JSON.stringify(line),
      JSON.stringify(ended(`good ${n}`)),
    ]);
    ({ report, code } = await on.importing(tenant, lines.join('\n')));
  });

  test('stores the valid lines, and exits with 1', async () => {
    expect(code).toBe(1);
    expect(report).toMatchObject({
      lines: BAD.length * 2,
      imported: BAD.length,
      known: 0,
      rejected: BAD.length,
    });
    expect(await on.app.models.Conversation.countDocuments({ customerId: tenant.customerId })).toBe(
      BAD.length,
    );
    expect(await on.app.models.Message.countDocuments({ customerId: tenant.customerId })).toBe(
      BAD.length * 2,
    );
  });

  test.each(BAD.map(([name, , reason], n) => [name, n, reason] as const))(
    'reports %s with its line number and reason',
    (_name, n, message) => {
      expect(report.errors[n]).toEqual({ line: 2 * n + 1, message });
    },
  );

  test('reports invalid UTF-8, and stores no part of that line', async () => {
    const bytes = Buffer.from(`${JSON.stringify(ended('latin'))}\n`);
    bytes[bytes.indexOf('Hello')] = 0xe9;
    const result = await on.importing(
      tenant,
      Buffer.concat([bytes, Buffer.from(JSON.stringify(ended('fine')))]),
    );
    expect(result).toMatchObject({ code: 1, report: { imported: 1, rejected: 1 } });
    expect(result.report.errors).toEqual([{ line: 1, message: 'Is not valid UTF-8.' }]);
  });

  test('reports a line longer than 32 MiB, and continues with the next line', async () => {
    const long = Buffer.alloc(33 * 1024 * 1024, 'x');
    const rest = `\n${JSON.stringify(ended('behind'))}\n`;
    const result = await on.importing(tenant, Buffer.concat([long, Buffer.from(rest)]));
    expect(result.report).toMatchObject({ lines: 2, imported: 1, rejected: 1 });
    expect(result.report.errors).toEqual([{ line: 1, message: 'Is longer than the maximum of 32 MiB.' }]);
  });

  test('reports the first thousand errors individually and counts the rest', async () => {
    const { report: many } = await on.importing(tenant, '{}\n'.repeat(1_234));
    expect(many).toMatchObject({ lines: 1_234, imported: 0, rejected: 1_234 });
    expect(many.errors.map(({ line }) => line)).toEqual(Array.from({ length: 1_000 }, (_, n) => n + 1));
  });

  test('never prints the contents of a line', async () => {
    const secret = 'confidential';
    const lines = [
      `{"id": "${secret}" oops`,
      `${secret}`,
      JSON.stringify(ended('x', { status: secret, goal: { secret }, started_at: secret })),
    ];
    const { report: printed } = await on.importing(tenant, lines.join('\n'));
    expect(printed.rejected).toBe(3);
    expect(JSON.stringify(printed)).not.toContain(secret);
  });
});
