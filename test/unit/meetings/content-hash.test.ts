import { expect, test } from 'vitest';
import { standardAdapter } from '../../../src/features/meetings/provider/adapters/standard.ts';
import { parseMeeting } from '../../../src/features/meetings/provider/page-parser.ts';
import { toDocuments } from '../../../src/features/meetings/stored-meetings/meeting-documents.ts';

// With another hash, an upgrade of the service would store and index every meeting again.
test('the content hash of a meeting stays the same', () => {
  const meeting = parseMeeting(
    {
      id: 'm1',
      title: 'Weekly',
      created_at: '2026-11-20T10:00:00Z',
      participants: [{ name: 'Ada', email: 'ada@example.com', role: 'host' }],
      transcript: [{ end_time: 2, start_time: 0.5, text: 'Grüße 👋', speaker: 'Ada' }],
      summary: 'They met.',
    },
    standardAdapter.meeting,
  );
  if (!('createdAt' in meeting)) throw new Error(meeting.reason);
  const records = toDocuments({ customerId: 7 }, meeting, {
    mapping: { version: 0, fields: [] },
    key: null,
  });
  expect(records.transcript?.transcriptJson).toBe(
    '{"speakers":["Ada"],"speaker":[0],"text":["Grüße 👋"],"startTime":[0.5],"endTime":[2]}',
  );
  expect(records.meeting.contentHash).toBe(
    '95c6bb7ec9d489f0becb6819e504e4a078c139563a7c9c57e3ccc9459d9153b9',
  );
});
