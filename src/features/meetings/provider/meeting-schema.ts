import { z } from 'zod';
import type { ProviderMeeting, ProviderParticipant, ProviderSegment } from './provider.types.ts';

/** Total characters of speakers and texts; in any script, such a transcript fits into a database document. */
const MAX_TRANSCRIPT_CHARACTERS = 3_000_000;
const MAX_SEGMENTS = 20_000;
const MAX_SEGMENT_TEXT = 32_768;
const MAX_PARTICIPANTS = 1_000;
/** One year: longer durations are invalid, and the end must be representable as a date. */
const MAX_SECONDS = 31_536_000;

const atMost = (max: number) => z.string().max(max);

/** ISO 8601; UTC without an offset. */
const instant = z.iso
  .datetime({ offset: true, local: true, error: 'expected an ISO 8601 date and time' })
  .transform((value) => new Date(/(Z|[+-]\d\d:?\d\d)$/.test(value) ? value : `${value}Z`));

const seconds = z.number().min(0).max(MAX_SECONDS);

/** A string, or a safe integer as a string. */
export const meetingId = z.union([atMost(200).min(1), z.int().transform(String)], {
  error: 'expected a string of 1 to 200 characters or a whole number',
});

const participant = z.object({
  name: atMost(500).nullish(),
  email: atMost(320).nullish(),
  role: atMost(100).nullish(),
});

const segment = z.object({
  speaker: atMost(500).nullish(),
  text: atMost(MAX_SEGMENT_TEXT),
  start_time: seconds.nullish(),
  startTime: seconds.nullish(),
  end_time: seconds.nullish(),
  endTime: seconds.nullish(),
});

type Segment = z.infer<typeof segment>;

const segments = z
  .array(segment)
  .max(MAX_SEGMENTS)
  .refine((value) => charactersOf(value) <= MAX_TRANSCRIPT_CHARACTERS, {
    error: `Too big: expected at most ${MAX_TRANSCRIPT_CHARACTERS} characters`,
  });

const charactersOf = (value: Segment[]): number =>
  value.reduce((sum, { speaker, text }) => sum + text.length + (speaker?.length ?? 0), 0);

const isText = (value: unknown, max: number): value is string =>
  typeof value === 'string' && value.length <= max;
const isNoneOrSeconds = (value: unknown): boolean =>
  value == null || (typeof value === 'number' && value >= 0 && value <= MAX_SECONDS);

/** Returns true if the value matches `segment`. */
function isSegment(value: unknown): value is Segment {
  if (typeof value !== 'object' || value === null) return false;
  const { text, speaker, start_time, startTime, end_time, endTime } = value as Record<string, unknown>;
  return (
    isText(text, MAX_SEGMENT_TEXT) &&
    (speaker == null || isText(speaker, 500)) &&
    isNoneOrSeconds(start_time) &&
    isNoneOrSeconds(startTime) &&
    isNoneOrSeconds(end_time) &&
    isNoneOrSeconds(endTime)
  );
}

const isTranscript = (value: unknown): value is Segment[] =>
  Array.isArray(value) &&
  value.length <= MAX_SEGMENTS &&
  value.every(isSegment) &&
  charactersOf(value) <= MAX_TRANSCRIPT_CHARACTERS;

/**
 * Transcript. A page has tens of thousands of segments, and zod allocates objects for each field: six times the
 * memory of the page. It therefore parses only malformed transcripts, to describe their problems.
 */
const transcript = z.unknown().transform((value, context): Segment[] => {
  if (isTranscript(value)) return value;
  const { data, error } = segments.safeParse(value);
  for (const { path, message } of error?.issues ?? []) context.addIssue({ code: 'custom', path, message });
  return data ?? z.NEVER;
});

/**
 * Keeps an address as it was sent; any other text (`-`, a telephone number) becomes null instead of rejecting the
 * meeting. The address replaces a missing name; dial-ins may have neither.
 */
function toParticipant({ name, email, role }: z.infer<typeof participant>): ProviderParticipant {
  const address = email?.includes('@') ? email : null;
  return { name: name || address || '', email: address, role: role ?? null };
}

const toSegment = (raw: Segment): ProviderSegment => ({
  speaker: raw.speaker ?? null,
  text: raw.text,
  startTime: raw.start_time ?? raw.startTime ?? null,
  endTime: raw.end_time ?? raw.endTime ?? null,
});

/** One meeting as the provider documents it (contract 10); unknown fields are dropped. */
export const MEETING = z
  .object({
    id: meetingId,
    title: atMost(1_000).nullish(),
    created_at: instant,
    started_at: instant.nullish(),
    duration_seconds: seconds.nullish(),
    participants: z.array(participant).max(MAX_PARTICIPANTS).nullish(),
    transcript: transcript.nullish(),
    summary: atMost(100_000).nullish(),
  })
  .transform(
    (meeting): ProviderMeeting => ({
      id: meeting.id,
      title: meeting.title ?? null,
      createdAt: meeting.created_at,
      startedAt: meeting.started_at ?? meeting.created_at,
      // Meeting records have whole seconds.
      durationSeconds: meeting.duration_seconds == null ? null : Math.round(meeting.duration_seconds),
      participants: meeting.participants?.map(toParticipant) ?? [],
      transcript: meeting.transcript?.map(toSegment) ?? [],
      summary: meeting.summary ?? null,
    }),
  );
