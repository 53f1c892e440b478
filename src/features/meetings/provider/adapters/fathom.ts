import type { ProviderParticipant, ProviderSegment } from '../provider.types.ts';
import {
  changeOf,
  dateOf,
  emailOf,
  nameOf,
  participantOf,
  participantsOf,
  type RecordSource,
  recordOf,
  segmentTextOf,
  summaryOf,
  titleOf,
  transcriptOf,
  warn,
} from '../record-reader.ts';
import type { EndpointClass, ProviderAdapter } from './adapter.types.ts';

const LIGHT: EndpointClass = { name: 'light', perMinute: 60 };
/** Lists with transcripts or summaries. Fathom may lower the limit to 5, which only its headers announce. */
const HEAVY: EndpointClass = { name: 'heavy', perMinute: 30 };

/** Returns `host` for an invitee of the recording company. */
function roleOf(invitee: RecordSource): string | null {
  const isExternal = invitee.fields.is_external;
  if (typeof isExternal === 'boolean') return isExternal ? 'guest' : 'host';
  if (isExternal != null) warn(invitee, 'is_external', 'expected true or false');
  return null;
}

const isSamePerson = (a: ProviderParticipant, b: ProviderParticipant): boolean =>
  a.email !== null && b.email !== null ? a.email.toLowerCase() === b.email.toLowerCase() : a.name === b.name;

const personOf = (person: RecordSource, role: string | null): ProviderParticipant | null =>
  participantOf(person, { name: nameOf(person, 'name'), email: emailOf(person, 'email'), role });

/** Returns the invitees, followed by the recording user unless invited. */
function participantsIn(meeting: RecordSource): ProviderParticipant[] {
  const recordedBy = recordOf(meeting, 'recorded_by');
  const user = recordedBy && personOf(recordedBy, 'host');
  const invitees = participantsOf(meeting, 'calendar_invitees', (invitee) =>
    personOf(invitee, roleOf(invitee)),
  );
  if (!user) return invitees;
  return invitees.some((invitee) => isSamePerson(invitee, user))
    ? invitees.map((invitee) => (isSamePerson(invitee, user) ? { ...invitee, role: 'host' } : invitee))
    : [...invitees, user];
}

/** Reads a time since the start of the recording, such as `00:05:32`, as seconds. */
function timestampOf(segment: RecordSource, field: string): number | null {
  const value = segment.fields[field];
  if (value == null || value === '') return null;
  const parts =
    typeof value === 'string' ? /^(?:(\d{1,3}):)?(\d{1,2}):(\d{2}(?:\.\d{1,6})?)$/.exec(value) : null;
  if (parts) return Number(parts[1] ?? 0) * 3_600 + Number(parts[2]) * 60 + Number(parts[3]);
  warn(segment, field, 'expected a time such as 00:05:32');
  return null;
}

function speakerOf(segment: RecordSource): string | null {
  const speaker = recordOf(segment, 'speaker');
  return speaker && nameOf(speaker, 'display_name');
}

/** Fathom sends only the starts of segments: a segment ends where the next one starts. */
function endOf({ startTime }: ProviderSegment, following: ProviderSegment | undefined): number | null {
  const end = following?.startTime ?? null;
  return startTime !== null && end !== null && end >= startTime ? end : null;
}

function transcriptIn(meeting: RecordSource): ProviderSegment[] {
  const segments = transcriptOf(meeting, 'transcript', (segment) => ({
    speaker: speakerOf(segment),
    text: segmentTextOf(segment, 'text'),
    startTime: timestampOf(segment, 'timestamp'),
    endTime: null,
  }));
  for (const [index, segment] of segments.entries()) segment.endTime = endOf(segment, segments[index + 1]);
  return segments;
}

function recordingOf(meeting: RecordSource): { startedAt: Date | null; durationSeconds: number | null } {
  const startedAt = dateOf(meeting, 'recording_start_time');
  const endedAt = dateOf(meeting, 'recording_end_time');
  if (!startedAt) return { startedAt: dateOf(meeting, 'scheduled_start_time'), durationSeconds: null };
  if (!endedAt) return { startedAt, durationSeconds: null };
  if (endedAt >= startedAt)
    return { startedAt, durationSeconds: (endedAt.getTime() - startedAt.getTime()) / 1_000 };
  warn(meeting, 'recording_end_time', 'expected a time after recording_start_time');
  return { startedAt, durationSeconds: null };
}

function summaryIn(meeting: RecordSource): string | null {
  const summary = recordOf(meeting, 'default_summary');
  return summary && summaryOf(summary, 'markdown_formatted');
}

/** Fathom, external API version 1 (https://developers.fathom.ai). `RECORDER_API_URL` ends in `/external/v1`. */
export const fathomAdapter: ProviderAdapter = {
  name: 'fathom',
  authentication: (apiKey) => ({ 'x-api-key': apiKey }),
  keyChecks: [
    { path: '/teams', endpointClass: LIGHT },
    { path: '/meetings', endpointClass: LIGHT },
  ],
  listing: {
    path: '/meetings',
    endpointClass: HEAVY,
    query: ({ since, until }) => ({
      // `created_after` is exclusive, `since` is inclusive.
      created_after: new Date(since.getTime() - 1).toISOString(),
      ...(until && { created_before: until.toISOString() }),
      include_transcript: 'true',
      include_summary: 'true',
    }),
    changesQuery: null,
    isOldestFirst: false,
    cursorParameter: 'cursor',
    envelope: { meetings: ['items'], nextCursor: 'next_cursor', nextUrl: null },
  },
  single: null,
  // The only event is new content of a meeting, and its body is the meeting.
  noticeOf: ({ recording_id, created_at }) => changeOf(recording_id, created_at),
  meeting: {
    id: 'recording_id',
    createdAt: ['created_at', 'recording_start_time'],
    transcript: 'transcript',
    read: (meeting) => ({
      title: titleOf(meeting, 'title') ?? titleOf(meeting, 'meeting_title'),
      ...recordingOf(meeting),
      participants: participantsIn(meeting),
      transcript: transcriptIn(meeting),
      summary: summaryIn(meeting),
      updatedAt: dateOf(meeting, 'updated_at'),
    }),
  },
};
