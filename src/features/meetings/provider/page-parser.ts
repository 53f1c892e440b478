import { createTimeSlice } from '../../../platform/time-slice.ts';
import type { ProviderAdapter } from './adapters/adapter.types.ts';
import { parseMeeting } from './meeting-parser.ts';
import { continuationOf } from './page-urls.ts';
import {
  ProviderError,
  type ProviderMeeting,
  type ProviderPage,
  type RejectedMeeting,
} from './provider.types.ts';
import { isRecord } from './record-reader.ts';

const MAX_CONTINUATION_LENGTH = 2_048;

const malformedPage = (problem: string) =>
  new ProviderError('bad_response', `The provider's response is not a page of meetings: ${problem}.`);

/** Returns the list of meetings of the envelope, which are parsed one by one. */
function listOf(page: Record<string, unknown>, names: readonly string[]): unknown[] {
  for (const name of names) {
    const list = page[name];
    if (Array.isArray(list)) return list;
    if (list != null) throw malformedPage(`${name}: expected a list`);
  }
  throw malformedPage(`${names[0]}: missing`);
}

/** Returns the cursor or URL of the next page; null if the field is absent, null or empty. */
function pointerOf(page: Record<string, unknown>, name: string | null): string | null {
  const value = name === null ? null : page[name];
  if (value == null || value === '') return null;
  if (typeof value === 'string' && value.length <= MAX_CONTINUATION_LENGTH) return value;
  throw malformedPage(`${name}: expected text of at most ${MAX_CONTINUATION_LENGTH} characters`);
}

/** Returns the cursor; a provider that counts its pages may send a number. */
const cursorOf = (page: Record<string, unknown>, name: string): string | null =>
  typeof page[name] === 'number' ? String(page[name]) : pointerOf(page, name);

/** Parses the JSON of a response; returns null for a truncated body. @throws ProviderError `bad_response` */
function parseResponse(body: string): { json: unknown } | null {
  try {
    return { json: JSON.parse(body) };
  } catch {
    // A connection that closes early can look like the end of the response.
    if (/^\s*(\{|$)/.test(body)) return null;
    throw new ProviderError('bad_response', "The provider's response is not JSON.");
  }
}

/** Parses a meeting; as `parsePage`, except that a rejected meeting is none. */
export function parseSingle(
  body: string,
  adapter: Pick<ProviderAdapter, 'meeting'>,
): { found: ProviderMeeting | null } | null {
  const parsed = parseResponse(body);
  if (!parsed) return null;
  const meeting = parseMeeting(parsed.json, adapter.meeting);
  return { found: 'createdAt' in meeting ? meeting : null };
}

/**
 * Parses a page of meetings. Meetings without a usable id or creation time are rejected; the others are returned.
 *
 * @param url of the page
 * @returns null for a truncated body: it begins as an object and does not end
 * @throws ProviderError `bad_response` when it is not a page of meetings
 */
export async function parsePage(
  body: string,
  { url, adapter }: { url: URL; adapter: ProviderAdapter },
): Promise<ProviderPage | null> {
  const parsed = parseResponse(body);
  if (!parsed) return null;
  const { json: page } = parsed;
  if (!isRecord(page)) throw malformedPage('expected an object');
  const { envelope } = adapter.listing;
  const list = listOf(page, envelope.meetings);
  const pointers = { next: pointerOf(page, envelope.nextUrl), cursor: cursorOf(page, envelope.nextCursor) };

  const meetings: ProviderMeeting[] = [];
  const rejected: RejectedMeeting[] = [];
  const yieldToRequests = createTimeSlice();
  for (const [index, raw] of list.entries()) {
    await yieldToRequests();
    // Releases the raw meeting while the others are parsed.
    list[index] = undefined;
    const meeting = parseMeeting(raw, adapter.meeting);
    if ('createdAt' in meeting) meetings.push(meeting);
    else rejected.push(meeting);
  }
  return { meetings, rejected, next: continuationOf({ ...pointers, url }) };
}
