import { z } from 'zod';
import type { ProviderMeeting, ProviderParticipant, ProviderSegment } from './provider.types.ts';

/** Characters of speakers and texts together; with these, a meeting of any script fits into a database document. */
const MAX_TRANSCRIPT_CHARACTERS = 3_000_000;
const MAX_SEGMENTS = 20_000;
const MAX_PARTICIPANTS = 1_000;
/** No recording is longer than a year, and the end of one must be a date. */
const MAX_SECONDS = 31_536_000;

const text = (max: number) => z.string().max(max);

/** ISO 8601; without an offset it is UTC. */
const instant = z.iso
  .datetime({ offset: true, local: true, error: 'expected an ISO 8601 date and time' })
  .transform((value) => new Date(/(Z|[+-]\d\d:?\d\d)$/.test(value) ? value : `${value}Z`));

const seconds = z.number().min(0).max(MAX_SECONDS);

/** A string, or a number that is one without loss. */
export const meetingId = z.union([text(200).min(1), z.int().transform(String)], {
  error: 'expected a string of 1 to 200 characters or a whole number',
});

const participant = z.object({
  name: text(500).nullish(),
  email: text(320).nullish(),
  role: text(100).nullish(),
});

const segment = z.object({
  speaker: text(500).nullish(),
  text: text(32_768),
  start_time: seconds.nullish(),
  startTime: seconds.nullish(),
  end_time: seconds.nullish(),
  endTime: seconds.nullish(),
});

type Said = z.infer<typeof segment>;

const segments = z
  .array(segment)
  .max(MAX_SEGMENTS)
  .refine((said) => charactersOf(said) <= MAX_TRANSCRIPT_CHARACTERS, {
    error: `Too big: expected ${MAX_TRANSCRIPT_CHARACTERS} characters at most`,
  });

const charactersOf = (said: Said[]): number =>
  said.reduce((sum, { speaker, text }) => sum + text.length + (speaker?.length ?? 0), 0);

const isText = (value: unknown, max: number): value is string =>
  typeof value === 'string' && value.length <= max;
const isNoneOrSeconds = (value: unknown): boolean =>
  value == null || (typeof value === 'number' && value >= 0 && value <= MAX_SECONDS);

/** Whether `segment` would take it. */
function isSegment(value: unknown): value is Said {
  if (typeof value !== 'object' || value === null) return false;
  const { text, speaker, start_time, startTime, end_time, endTime } = value as Record<string, unknown>;
  return (
    isText(text, 32_768) &&
    (speaker == null || isText(speaker, 500)) &&
    [start_time, startTime, end_time, endTime].every(isNoneOrSeconds)
  );
}

const isTranscript = (value: unknown): value is Said[] =>
  Array.isArray(value) &&
  value.length <= MAX_SEGMENTS &&
  value.every(isSegment) &&
  charactersOf(value) <= MAX_TRANSCRIPT_CHARACTERS;

/**
 * A page has tens of thousands of segments, and zod makes objects for each field of each: six times the memory of
 * the page itself. It is left to say what is wrong with those that are.
 */
const transcript = z.unknown().transform((value, context): Said[] => {
  if (isTranscript(value)) return value;
  const { data, error } = segments.safeParse(value);
  for (const { path, message } of error?.issues ?? []) context.addIssue({ code: 'custom', path, message });
  return data ?? z.NEVER;
});

/**
 * An address stays as it was sent; text that is none (`-`, a telephone number) is not one, and no reason to lose a
 * meeting. Somebody without a name goes by the address; dial-ins may have neither.
 */
function toParticipant({ name, email, role }: z.infer<typeof participant>): ProviderParticipant {
  const address = email?.includes('@') ? email : null;
  return { name: name || address || '', email: address, role: role ?? null };
}

const toSegment = (said: z.infer<typeof segment>): ProviderSegment => ({
  speaker: said.speaker ?? null,
  text: said.text,
  startTime: said.start_time ?? said.startTime ?? null,
  endTime: said.end_time ?? said.endTime ?? null,
});

/** One meeting as the provider documents it (contract 10); what else is in it is left out. */
export const MEETING = z
  .object({
    id: meetingId,
    title: text(1_000).nullish(),
    created_at: instant,
    started_at: instant.nullish(),
    duration_seconds: seconds.nullish(),
    participants: z.array(participant).max(MAX_PARTICIPANTS).nullish(),
    transcript: transcript.nullish(),
    summary: text(100_000).nullish(),
  })
  .transform(
    (meeting): ProviderMeeting => ({
      id: meeting.id,
      title: meeting.title ?? null,
      createdAt: meeting.created_at,
      startedAt: meeting.started_at ?? meeting.created_at,
      // The meeting record has whole seconds.
      durationSeconds: meeting.duration_seconds == null ? null : Math.round(meeting.duration_seconds),
      participants: meeting.participants?.map(toParticipant) ?? [],
      transcript: meeting.transcript?.map(toSegment) ?? [],
      summary: meeting.summary ?? null,
    }),
  );
