import { parseDateTime } from '../../../platform/date-time.ts';
import { isObject } from '../../../platform/is-object.ts';
import { MAX_TEXT } from '../../../shared/text-limits.ts';
import type { MeetingWarning } from '../meetings.types.ts';
import type { MeetingNotice, ProviderParticipant, ProviderSegment } from './provider.types.ts';

/** Warnings listed per meeting and per sync; the rest are only counted. */
export const MAX_LISTED_WARNINGS = 100;

export interface FieldWarnings {
  count: number;
  /** The first `MAX_LISTED_WARNINGS`. */
  listed: MeetingWarning[];
}

/** Adds a warning: the path and the reason, never the value. */
export function addWarning(warnings: FieldWarnings, path: string, reason: string): void {
  warnings.count += 1;
  if (warnings.listed.length < MAX_LISTED_WARNINGS) warnings.listed.push({ path, reason });
}

/**
 * Functions for adapters to read the fields of the provider's record of a meeting. An absent, null or empty field is
 * null. A malformed one is null as well, or left out of its list, with a warning. They are plain functions, because for
 * the tens of thousands of segments of a page, a schema library allocates six times the memory of the page.
 */

const MAX_TITLE = 1_000;
const MAX_NAME = 500;
const MAX_EMAIL = 320;
const MAX_ROLE = 100;
const MAX_SEGMENT_TEXT = 32_768;
const MAX_SUMMARY = 100_000;
const MAX_PARTICIPANTS = 1_000;
const MAX_SEGMENTS = 20_000;
/** Total characters of speakers and texts: the transcript fits into a document even if JSON escapes every character. */
const MAX_TRANSCRIPT_CHARACTERS = 2_200_000;
/** One year, so that the end of a meeting is always a valid date. */
const MAX_SECONDS = 31_536_000;

const VISIBLE = /[^\p{Z}\p{C}]/u;
/** Control characters other than tab and line break, and lone surrogates. */
const UNUSABLE_IN_NAMES = /[^\t\n\r\P{Cc}]|\p{Cs}/u;
const ADDRESS = /^[^@\s\p{C}]+@[^@\s\p{C}]+$/u;

/** A JSON object of the provider: a meeting or a part of it. The source of a list item is reused for the next item. */
export interface RecordSource {
  fields: Readonly<Record<string, unknown>>;
  /** Where the object is; null for the meeting itself. */
  parent: { source: RecordSource; field: string } | null;
  /** Position in the list; null outside of lists. */
  index: number | null;
  warnings: FieldWarnings;
}

/** Returns the path within the meeting, such as `participants[2]`; empty for the meeting itself. Only built for warnings. */
function pathOf({ parent, index }: RecordSource): string {
  if (parent === null) return '';
  const path = fieldPath(parent.source, parent.field);
  return index === null ? path : `${path}[${index}]`;
}

function fieldPath(source: RecordSource, field: string): string {
  const path = pathOf(source);
  return path ? `${path}.${field}` : field;
}

export const warn = (source: RecordSource, field: string, reason: string): void =>
  addWarning(source.warnings, fieldPath(source, field), reason);

/** MongoDB stores well-formed Unicode only. */
const wellFormed = (text: string): string => (text.isWellFormed() ? text : text.toWellFormed());

export const BAD_TIME = 'expected an ISO 8601 date, or date and time';

/** Returns null unless the value is an ISO 8601 date, or date and time; without an offset it is UTC. */
export const parseInstant = (value: unknown): Date | null => parseDateTime(value, { isLenient: true });

/** Returns a meeting's id: text that is not blank, or a safe integer as text. Null for any other value. */
export function parseMeetingId(value: unknown): string | null {
  if (Number.isSafeInteger(value)) return String(value);
  return typeof value === 'string' && value.trim() !== '' && value.length <= MAX_TEXT
    ? wellFormed(value)
    : null;
}

/** Returns null without a usable id. */
export function changeOf(id: unknown, createdAt: unknown): MeetingNotice | null {
  const meetingId = parseMeetingId(id);
  return meetingId === null ? null : { type: 'changed', meetingId, createdAt: parseInstant(createdAt) };
}

function boundedText(source: RecordSource, field: string, value: string, maxLength: number): string | null {
  if (value.length <= maxLength) return wellFormed(value);
  warn(source, field, `expected at most ${maxLength} characters`);
  return null;
}

function textOf(source: RecordSource, field: string, maxLength: number): string | null {
  const value = source.fields[field];
  if (value == null || value === '') return null;
  if (typeof value === 'string') return boundedText(source, field, value, maxLength);
  warn(source, field, 'expected text');
  return null;
}

export const titleOf = (source: RecordSource, field: string) => textOf(source, field, MAX_TITLE);
export const summaryOf = (source: RecordSource, field: string) => textOf(source, field, MAX_SUMMARY);
export const roleOf = (source: RecordSource, field: string) => textOf(source, field, MAX_ROLE);

/** Reads a person's name. Text without a visible character, or with control characters, is malformed. */
export function nameOf(source: RecordSource, field: string): string | null {
  const value = source.fields[field];
  if (typeof value === 'string' && value !== '' && (!VISIBLE.test(value) || UNUSABLE_IN_NAMES.test(value))) {
    warn(source, field, 'expected a name');
    return null;
  }
  return textOf(source, field, MAX_NAME);
}

/** Reads an email address without the white space around it. Other text, such as a telephone number, is malformed. */
export function emailOf(source: RecordSource, field: string): string | null {
  const text = textOf(source, field, MAX_EMAIL)?.trim() ?? null;
  if (text === null || ADDRESS.test(text)) return text;
  warn(source, field, 'expected an email address');
  return null;
}

/** Reads the text of a segment, which may be empty but not absent. */
export function segmentTextOf(source: RecordSource, field: string): string | null {
  const value = source.fields[field];
  if (typeof value === 'string') return boundedText(source, field, value, MAX_SEGMENT_TEXT);
  warn(source, field, 'expected text');
  return null;
}

/** Reads a duration in seconds. Accepts a decimal number as text, with a warning. */
export function secondsOf(source: RecordSource, field: string): number | null {
  const value = source.fields[field];
  if (value == null || value === '') return null;
  const isDecimal = typeof value === 'string' && /^\s*\d{1,12}(\.\d{1,12})?\s*$/.test(value);
  const seconds = isDecimal ? Number(value) : value;
  if (typeof seconds === 'number' && seconds >= 0 && seconds <= MAX_SECONDS) {
    if (isDecimal) warn(source, field, 'number given as text');
    return seconds;
  }
  warn(source, field, `expected seconds from 0 to ${MAX_SECONDS}`);
  return null;
}

export function dateOf(source: RecordSource, field: string): Date | null {
  const value = source.fields[field];
  if (value == null || value === '') return null;
  const date = parseInstant(value);
  if (date === null) warn(source, field, BAD_TIME);
  return date;
}

export function recordOf(source: RecordSource, field: string): RecordSource | null {
  const value = source.fields[field];
  if (value == null) return null;
  if (isObject(value))
    return { fields: value, parent: { source, field }, index: null, warnings: source.warnings };
  warn(source, field, 'expected an object');
  return null;
}

/**
 * Visits the objects in a list until `visit` returns false; other items, and items beyond the maximum, are left out. All
 * share one `RecordSource`, because a page has tens of thousands of items.
 */
function eachItem(
  source: RecordSource,
  field: string,
  maxItems: number,
  visit: (item: RecordSource) => boolean,
): void {
  const list = source.fields[field];
  if (list == null) return;
  if (!Array.isArray(list)) {
    warn(source, field, 'expected a list');
    return;
  }
  if (list.length > maxItems)
    warn(source, field, `expected at most ${maxItems} items; the following ones are left out`);
  const item = { fields: {}, parent: { source, field }, index: 0, warnings: source.warnings };
  for (let index = 0; index < Math.min(list.length, maxItems); index += 1) {
    const fields: unknown = list[index];
    if (isObject(fields)) {
      item.fields = fields;
      item.index = index;
      if (!visit(item)) return;
    } else warn(source, `${field}[${index}]`, 'expected an object');
  }
}

type ParticipantFields = Omit<ProviderParticipant, 'name'> & { name: string | null };

/** Returns null without a name and an email address; the address replaces a missing name. */
export function participantOf(
  source: RecordSource,
  { name, email, role }: ParticipantFields,
): ProviderParticipant | null {
  const label = name ?? email;
  if (label !== null) return { name: label, email, role };
  addWarning(source.warnings, pathOf(source), 'participant without a name or an email address');
  return null;
}

/** Omits participants whose `read` returns null. */
export function participantsOf(
  source: RecordSource,
  field: string,
  read: (participant: RecordSource) => ProviderParticipant | null,
): ProviderParticipant[] {
  const participants: ProviderParticipant[] = [];
  eachItem(source, field, MAX_PARTICIPANTS, (item) => {
    const participant = read(item);
    if (participant) participants.push(participant);
    return true;
  });
  return participants;
}

type SegmentFields = Omit<ProviderSegment, 'text'> & { text: string | null };

const hasText = (segment: SegmentFields): segment is ProviderSegment => segment.text !== null;

/** Leaves out segments without text, and the rest of an excessively long transcript. */
export function transcriptOf(
  source: RecordSource,
  field: string,
  read: (segment: RecordSource) => SegmentFields,
): ProviderSegment[] {
  const segments: ProviderSegment[] = [];
  let characters = 0;
  eachItem(source, field, MAX_SEGMENTS, (item) => {
    const segment = read(item);
    if (!hasText(segment)) return true;
    characters += segment.text.length + (segment.speaker?.length ?? 0);
    if (characters <= MAX_TRANSCRIPT_CHARACTERS) {
      segments.push(segment);
      return true;
    }
    warn(
      source,
      field,
      `expected at most ${MAX_TRANSCRIPT_CHARACTERS} characters; the following segments are left out`,
    );
    return false;
  });
  return segments;
}
