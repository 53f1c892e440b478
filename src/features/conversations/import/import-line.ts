import { z } from 'zod';
import { dateTime } from '../../../platform/date-time.ts';
import { JsonError, parseJsonText } from '../../../platform/json-text.ts';
import { text } from '../../../platform/text-validation.ts';
import { withoutReplacements } from '../../privacy/replacements.ts';
import { isTerminal } from '../allowed-moves.ts';
import {
  CONVERSATION_STATUSES,
  type ConversationStatus,
  type Conversion,
  type Identity,
  MAX_MESSAGE_TEXT,
  MAX_MESSAGES,
  MAX_TEXT_BYTES,
  MESSAGE_ROLES,
  type Message,
  textBytesOf,
} from '../conversations.types.ts';

/** Problems listed per line; the rest are only counted. */
const MAX_LISTED_PROBLEMS = 5;
const MAX_PATH_LENGTH = 100;

export interface ImportedConversation {
  /** Id in the source system; deduplicates imports. */
  id: string;
  visitorId: string;
  status: ConversationStatus;
  goal: string | null;
  startedAt: Date;
  endedAt: Date | null;
  messages: (Omit<Message, 'id'> & { id: string | null })[];
  identity: Identity | null;
  conversion: (Omit<Conversion, 'id'> & { id: string | null }) | null;
}

/** A line that is not a valid conversation. The message never quotes the line. */
export class BadLine extends Error {
  override readonly name = 'BadLine';
}

const count = (value: number): string => value.toLocaleString('en');

const timestamp = dateTime();

const orNull = text().nullish();

/** The format of `GET /v1/conversations/:id`. Nullable fields and nested ids may be absent. */
const conversationSchema = z.strictObject({
  id: text(),
  visitor_id: text(),
  status: z.enum(CONVERSATION_STATUSES),
  converted: z.boolean().optional(),
  goal: orNull,
  started_at: timestamp,
  ended_at: timestamp.nullish(),
  // The number of messages is checked before their content.
  transcript: z
    .array(z.unknown())
    .max(MAX_MESSAGES, `Must have at most ${count(MAX_MESSAGES)} messages.`)
    .pipe(
      z
        .array(
          z.strictObject({
            id: text().optional(),
            role: z.enum(MESSAGE_ROLES),
            text: text({ max: MAX_MESSAGE_TEXT, multiline: true }),
            sent_at: timestamp,
          }),
        )
        // Erasure and suppression can have lengthened the texts of a full conversation.
        .refine(
          (messages) =>
            textBytesOf(messages.map(({ text }) => ({ text: withoutReplacements(text) }))) <= MAX_TEXT_BYTES,
          `Must have at most ${MAX_TEXT_BYTES / 1024 / 1024} MiB of text.`,
        ),
    ),
  identity: z
    .strictObject({
      person_id: text(),
      email: orNull,
      first_name: orNull,
      last_name: orNull,
      company: orNull,
      job_title: orNull,
    })
    .nullish(),
  conversion: z
    .strictObject({
      id: text().optional(),
      type: text().nullish(),
      goal: text(),
      value: z.number().nullish(),
      recorded_at: timestamp,
    })
    .nullish(),
});

type Parsed = z.output<typeof conversationSchema>;

const NOUNS: Record<string, string> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
};

/** Replaces zod's messages with the API's wording. */
const messages: z.core.$ZodErrorMap = (issue) => {
  if (issue.input === undefined) return 'Is required.';
  if (issue.code === 'invalid_type') return `Must be ${NOUNS[issue.expected] ?? issue.expected}.`;
  if (issue.code === 'invalid_value') return `Must be one of ${issue.values.join(', ')}.`;
  return undefined;
};

const pathOf = (path: readonly PropertyKey[]): string =>
  path.map(String).join('.').replace(/\s+/g, ' ').slice(0, MAX_PATH_LENGTH);

const problemsOf = ({ issues }: z.ZodError): string[] =>
  issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => `${pathOf([...issue.path, key])}: Unknown field.`)
      : [`${pathOf(issue.path) || 'line'}: ${issue.message}`],
  );

function rejectIfAny(problems: string[]): void {
  if (problems.length === 0) return;
  const more = problems.length - MAX_LISTED_PROBLEMS;
  throw new BadLine(
    problems.slice(0, MAX_LISTED_PROBLEMS).join(' ') + (more > 0 ? ` And ${count(more)} more.` : ''),
  );
}

/** Finds contradictions between fields that are valid on their own (contract 8). */
function contradictions(line: Parsed, now: Date): string[] {
  const { status, converted, conversion, started_at, ended_at } = line;
  const problems: (string | false)[] = [
    started_at > now && 'started_at: Must not be in the future.',
    !!ended_at && ended_at > now && 'ended_at: Must not be in the future.',
    !!ended_at && ended_at < started_at && 'ended_at: Must not be before started_at.',
    !!ended_at && !isTerminal(status) && `ended_at: Must be null while the status is ${status}.`,
    converted === true && !conversion && 'conversion: Must not be null, since converted is true.',
    converted === false && !!conversion && 'converted: Must be true, since there is a conversion.',
    status === 'converted' &&
      !conversion &&
      converted !== true &&
      'conversion: Must not be null, since the status is converted.',
    !!conversion && conversion.recorded_at > now && 'conversion.recorded_at: Must not be in the future.',
  ];
  return problems.filter((problem) => problem !== false);
}

/** Returns the end of a terminal conversation without `ended_at`: its last known time that is not in the future. */
function lastKnownTime({ started_at, transcript, conversion }: Parsed, now: Date): Date {
  const times = [
    started_at,
    ...transcript.map(({ sent_at }) => sent_at),
    conversion?.recorded_at ?? started_at,
  ];
  return new Date(Math.max(...times.map(Number).filter((at) => at <= now.getTime())));
}

function toImported(line: Parsed, now: Date): ImportedConversation {
  const { identity, conversion } = line;
  return {
    id: line.id,
    visitorId: line.visitor_id,
    status: line.status,
    // A conversion sets its conversation's goal.
    goal: line.goal ?? conversion?.goal ?? null,
    startedAt: line.started_at,
    endedAt: isTerminal(line.status) ? (line.ended_at ?? lastKnownTime(line, now)) : null,
    messages: line.transcript.map(({ id, role, text, sent_at }) => ({
      id: id ?? null,
      role,
      text,
      sentAt: sent_at,
    })),
    identity: identity
      ? {
          resolvedPersonId: identity.person_id,
          company: identity.company ?? null,
          firstName: identity.first_name ?? null,
          lastName: identity.last_name ?? null,
          jobTitle: identity.job_title ?? null,
          email: identity.email ?? null,
        }
      : null,
    conversion: conversion
      ? {
          id: conversion.id ?? null,
          type: conversion.type ?? conversion.goal,
          goal: conversion.goal,
          value: conversion.value ?? null,
          recordedAt: conversion.recorded_at,
        }
      : null,
  };
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new BadLine('Is not valid UTF-8.');
  }
}

function parseJson(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    // The message of the JSON parser may quote the transcript.
    const position = /at position (\d+)/.exec(String(error.cause))?.[1];
    throw new BadLine(
      position
        ? `Is not valid JSON (character ${count(Number(position) + 1)}).`
        : `${error.problem.charAt(0).toUpperCase()}${error.problem.slice(1)}`,
    );
  }
}

/**
 * Parses a conversation from a line of JSON.
 *
 * @param now upper bound for start, conversion and end
 * @throws BadLine
 */
export function parseLine(bytes: Buffer, now: Date): ImportedConversation {
  const { data, error } = conversationSchema.safeParse(parseJson(decode(bytes)), { error: messages });
  if (error) rejectIfAny(problemsOf(error));
  if (!data) throw new BadLine('Is not a conversation.');
  rejectIfAny(contradictions(data, now));
  return toImported(data, now);
}

/** Returns true for a line of only spaces and tabs. */
export const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0x20 || byte === 0x09);
