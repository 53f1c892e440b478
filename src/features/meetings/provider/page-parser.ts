import { isObject } from '../../../platform/is-object.ts';
import type { TextRange } from '../../../platform/text-range.ts';
import { MAX_TEXT } from '../../../shared/text-limits.ts';
import { encodeRecord, MAX_RECORD_BYTES, MAX_RECORD_LEVELS } from '../provider-records/record-codec.ts';
import { encodeTranscript } from '../transcript-json.ts';
import type { MeetingMapping, ProviderAdapter } from './adapters/adapter.types.ts';
import { parseEnvelope, parseMeetingJson, parseMeetings, responseTooLarge } from './page-json.ts';
import type { Continuation } from './provider.types.ts';
import {
  ProviderError,
  type ProviderMeeting,
  type ProviderPage,
  type RejectedMeeting,
} from './provider.types.ts';
import { addWarning, BAD_TIME, type FieldWarnings, parseInstant, parseMeetingId } from './record-reader.ts';

const BAD_ID = `expected a string of 1 to ${MAX_TEXT} characters or a whole number`;
const RECORD_TOO_LARGE = `expected at most ${MAX_RECORD_BYTES} bytes and ${MAX_RECORD_LEVELS} levels of JSON; JSON pointers of the mapping have no value`;

/** Returns the first usable creation time. */
function creationOf(fields: Record<string, unknown>, names: readonly string[]): Date | null {
  for (const name of names) {
    const at = parseInstant(fields[name]);
    if (at) return at;
  }
  return null;
}

/**
 * Reads the provider's JSON of a meeting. Only a meeting without a usable id or creation time is rejected. Any other
 * malformed field becomes null, or is left out of its list, with a warning.
 */
export function parseMeeting(raw: unknown, mapping: MeetingMapping): ProviderMeeting | RejectedMeeting {
  if (!isObject(raw)) return { id: null, reason: 'meeting: expected an object' };
  const id = parseMeetingId(raw[mapping.id]);
  const createdAt = creationOf(raw, mapping.createdAt);
  if (id === null || createdAt === null) {
    const reasons = [
      ...(id === null ? [`${mapping.id}: ${BAD_ID}`] : []),
      ...(createdAt === null ? [`${mapping.createdAt[0]}: ${BAD_TIME}`] : []),
    ];
    return { id, reason: reasons.join('; ') };
  }
  const warnings: FieldWarnings = { count: 0, listed: [] };
  const { startedAt, durationSeconds, transcript, ...fields } = mapping.read({
    fields: raw,
    parent: null,
    index: null,
    warnings,
  });
  const { [mapping.transcript]: _transcript, ...record } = raw;
  // Encoded here: parsed JSON can take twenty times the memory of its text.
  const recordJson = encodeRecord(record);
  if (recordJson === null) addWarning(warnings, 'record', RECORD_TOO_LARGE);
  return {
    ...fields,
    id,
    createdAt,
    startedAt: startedAt ?? createdAt,
    // Meetings are stored with whole seconds.
    durationSeconds: durationSeconds === null ? null : Math.round(durationSeconds),
    transcriptJson: transcript.length === 0 ? null : encodeTranscript(transcript),
    warnings: warnings.listed,
    warningCount: warnings.count,
    recordJson,
  };
}

const MAX_CONTINUATION_LENGTH = 2_048;
/** The maximum of 50 meetings. */
const MAX_PARTICIPANTS_PER_PAGE = 50_000;

const malformedPage = (problem: string) =>
  new ProviderError('bad_response', `The provider's response is not a page of meetings: ${problem}.`);

/** Checks that one of the fields is a list of meetings, or null, which stands for an empty one. */
function requireList(page: Record<string, unknown>, names: readonly string[]): void {
  const present = names.filter((name) => page[name] !== undefined);
  if (present.length === 0) throw malformedPage(`${names[0]}: missing`);
  const wrong = present.find((name) => page[name] !== null && !Array.isArray(page[name]));
  if (wrong !== undefined && !present.some((name) => Array.isArray(page[name])))
    throw malformedPage(`${wrong}: expected a list`);
}

/** Returns the cursor or URL of the next page; null if the field is absent, null, false or empty. */
function pointerOf(page: Record<string, unknown>, name: string | null): string | null {
  const value = name === null ? null : page[name];
  if (value == null || value === false || value === '') return null;
  if (typeof value === 'string' && value.length <= MAX_CONTINUATION_LENGTH) return value;
  throw malformedPage(`${name}: expected text of at most ${MAX_CONTINUATION_LENGTH} characters`);
}

/** Returns the cursor as text; a provider that counts its pages may send a number. */
const cursorOf = (page: Record<string, unknown>, name: string): string | null =>
  typeof page[name] === 'number' ? String(page[name]) : pointerOf(page, name);

/**
 * Returns where the next page is; null after the last page. A `next` URL takes precedence over a cursor. Its origin is
 * checked when it is requested, possibly by another process after a change of `RECORDER_API_URL`.
 *
 * @param page.url base of a relative `next`
 * @throws ProviderError `bad_response` for a `next` that is not a URL
 */
function continuationOf(page: { next: string | null; cursor: string | null; url: URL }): Continuation | null {
  const { next, cursor, url } = page;
  if (!next) return cursor ? { type: 'cursor', value: cursor } : null;
  const address = URL.parse(next, url);
  if (!address) throw new ProviderError('bad_response', "The provider's `next` is not a URL.");
  // Normalized, so that a list that repeats a page is detected.
  address.username = '';
  address.password = '';
  address.hash = '';
  return { type: 'next', value: address.href };
}

/** Checks only the start of a body: it may be truncated, since a connection that closes early can look complete. */
function requireObject(body: string): void {
  if (!/^\s*(\{|$)/.test(body)) throw malformedPage('expected a JSON object');
}

/**
 * Parses the response for one meeting. Returns null for a truncated body; a rejected meeting counts as not found.
 *
 * @throws ProviderError `bad_response`, `too_large`
 */
export async function parseSingle(
  body: string,
  adapter: Pick<ProviderAdapter, 'meeting'>,
): Promise<{ found: ProviderMeeting | null } | null> {
  requireObject(body);
  const raw = await parseMeetingJson(body, adapter.meeting.id);
  if (raw === undefined) return null;
  const meeting = parseMeeting(raw, adapter.meeting);
  return { found: 'createdAt' in meeting ? meeting : null };
}

/**
 * Parses a page of meetings.
 *
 * @param url of the page
 * @returns null for a truncated body
 * @throws ProviderError `bad_response` if the body is not a page of meetings, `too_large` if it exceeds a bound
 */
export async function parsePage(
  body: string,
  { url, adapter }: { url: URL; adapter: ProviderAdapter },
): Promise<ProviderPage | null> {
  requireObject(body);
  const { envelope: names } = adapter.listing;
  const parsed = await parseEnvelope(body, names.meetings);
  if (!parsed) return null;
  const { envelope: page } = parsed;
  if (!isObject(page)) throw malformedPage('expected a JSON object');
  requireList(page, names.meetings);
  const [list = [], ...others] = names.meetings.flatMap((name) => {
    const found = parsed.meetings.get(name);
    return found ? [found] : [];
  });
  // Beside an empty list, one of other data than objects is no list of meetings.
  const hasObjects = ([item]: readonly TextRange[]) =>
    item !== undefined && body.slice(item.start, item.end).trimStart().startsWith('{');
  const ranges = list.length > 0 ? list : (others.find(hasObjects) ?? []);
  const pointers = { next: pointerOf(page, names.nextUrl), cursor: cursorOf(page, names.nextCursor) };

  const meetings: ProviderMeeting[] = [];
  const rejected: RejectedMeeting[] = [];
  let participants = 0;
  for await (const raw of parseMeetings(body, ranges, adapter.meeting.id)) {
    if (raw === undefined) return null;
    const meeting = parseMeeting(raw, adapter.meeting);
    if ('createdAt' in meeting) meetings.push(meeting);
    else rejected.push(meeting);
    participants += 'createdAt' in meeting ? meeting.participants.length : 0;
    if (participants > MAX_PARTICIPANTS_PER_PAGE)
      throw responseTooLarge(MAX_PARTICIPANTS_PER_PAGE, 'participants per page');
  }
  return { meetings, rejected, next: continuationOf({ ...pointers, url }) };
}
