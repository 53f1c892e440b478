import { z } from 'zod';
import {
  CONVERSATION_STATUSES,
  type ConversationStatus,
  type Conversion,
  type Identity,
  MAX_MESSAGES,
  MESSAGE_ROLES,
  type Message,
} from './conversations.types.ts';
import { isTerminal } from './transitions.ts';

/** Problems of one line that are told; who has corrected these hears of the others. */
const MOST_PROBLEMS = 5;
const LONGEST_PATH = 100;
/** Characters that a message and any other string may have (contract 4). */
const MAX_TEXT = 32_768;
const MAX_STRING = 500;

/** A conversation as a line describes it. */
export interface ImportedConversation {
  /** Id that it has where it comes from: the key against storing it twice. */
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

/** A line that is not a conversation, and why. The reason never repeats what the line says. */
export class BadLine extends Error {
  override readonly name = 'BadLine';
}

const count = (value: number): string => value.toLocaleString('en');

const text = (max = MAX_STRING) =>
  z
    .string()
    .min(1, 'Must not be empty.')
    .max(max, `Must be at most ${count(max)} characters long.`);

const moment = z.iso
  .datetime({ offset: true })
  .transform((value) => new Date(value))
  .refine((at) => !Number.isNaN(at.getTime()), 'Is out of the range of dates.');

const orNull = text().nullish();

/** The shape that `GET /v1/conversations/:id` answers. What can be null may be left out; ids inside it too. */
const conversationSchema = z.strictObject({
  id: text().refine((id) => id.isWellFormed(), 'Must be well-formed Unicode.'),
  visitor_id: text(),
  status: z.enum(CONVERSATION_STATUSES),
  converted: z.boolean().optional(),
  goal: orNull,
  started_at: moment,
  ended_at: moment.nullish(),
  transcript: z
    .array(
      z.strictObject({
        id: text().optional(),
        role: z.enum(MESSAGE_ROLES),
        text: text(MAX_TEXT),
        sent_at: moment,
      }),
    )
    .max(MAX_MESSAGES, `Must be at most ${count(MAX_MESSAGES)} messages.`),
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
      recorded_at: moment,
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

/** Words for what zod would say in its own. */
const wording: z.core.$ZodErrorMap = (issue) => {
  if (issue.input === undefined) return 'Is required.';
  if (issue.code === 'invalid_type') return `Must be ${NOUNS[issue.expected] ?? issue.expected}.`;
  if (issue.code === 'invalid_format')
    return 'Must be an ISO 8601 date and time with an offset, such as 2026-01-31T09:30:00Z.';
  if (issue.code === 'invalid_value') return `Must be one of ${issue.values.join(', ')}.`;
  return undefined;
};

const pathOf = (path: readonly PropertyKey[]): string =>
  path.map(String).join('.').replace(/\s+/g, ' ').slice(0, LONGEST_PATH);

const problemsOf = ({ issues }: z.ZodError): string[] =>
  issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => `${pathOf([...issue.path, key])}: Is not known.`)
      : [`${pathOf(issue.path) || 'line'}: ${issue.message}`],
  );

function requireNone(problems: string[]): void {
  if (problems.length === 0) return;
  const more = problems.length - MOST_PROBLEMS;
  throw new BadLine(
    problems.slice(0, MOST_PROBLEMS).join(' ') + (more > 0 ? ` And ${count(more)} more.` : ''),
  );
}

/** What no conversation of this service can say, though each of its values is fine (contract 8). */
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

/** When a terminal conversation that does not say so ended: with the last thing that is known of it. */
function lastMoment({ started_at, transcript, conversion }: Parsed, now: Date): Date {
  const moments = [
    started_at,
    ...transcript.map(({ sent_at }) => sent_at),
    conversion?.recorded_at ?? started_at,
  ];
  return new Date(Math.max(...moments.map(Number).filter((at) => at <= now.getTime())));
}

function toImported(line: Parsed, now: Date): ImportedConversation {
  const { identity, conversion } = line;
  return {
    id: line.id,
    visitorId: line.visitor_id,
    status: line.status,
    // A conversion sets the goal of its conversation.
    goal: line.goal ?? conversion?.goal ?? null,
    startedAt: line.started_at,
    endedAt: isTerminal(line.status) ? (line.ended_at ?? lastMoment(line, now)) : null,
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
    return JSON.parse(text);
  } catch (error) {
    // The engine's own message may repeat a piece of the transcript.
    const position = /at position (\d+)/.exec(String(error))?.[1];
    throw new BadLine(`Is not valid JSON${position ? ` (character ${count(Number(position) + 1)})` : ''}.`);
  }
}

/**
 * Reads one conversation from a line of JSON.
 *
 * @param now a conversation cannot have started, converted or ended after it
 * @throws BadLine that says what is wrong with it
 */
export function parseLine(bytes: Buffer, now: Date): ImportedConversation {
  const { data, error } = conversationSchema.safeParse(parseJson(decode(bytes)), { error: wording });
  if (error) requireNone(problemsOf(error));
  if (!data) throw new BadLine('Is not a conversation.');
  requireNone(contradictions(data, now));
  return toImported(data, now);
}

/** Whether there is nothing on a line but white space. */
export const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0x20 || byte === 0x09);
