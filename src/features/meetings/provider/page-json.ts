import { escapePattern } from '../../../platform/escape-pattern.ts';
import { isObject } from '../../../platform/is-object.ts';
import type { TextRange } from '../../../platform/text-range.ts';
import { createTimeSlice } from '../../../platform/time-slice.ts';
import { ProviderError } from './provider.types.ts';

/**
 * Parses the JSON of a page within bounds of memory and time. Parsed JSON can take twenty times the memory of its text,
 * and `JSON.parse` does not yield. So the bounds are checked on the text, and meetings are parsed one at a time.
 */

/** Per page. */
const MAX_MEETINGS = 1_000;
/** Twice the longest stored transcript, with every character escaped in JSON. */
const MAX_MEETING_CHARACTERS = 32 * 1024 * 1024;
/** The maximum number of stored segments, with 12 fields each. */
const MAX_MEETING_VALUES = 250_000;
/** Size of a page without its meetings. */
const MAX_ENVELOPE_CHARACTERS = 256 * 1024;

/** Characters read between two checks of the time: about 0.1 ms. */
const CHARACTERS_AT_ONCE = 64 * 1024;

export const responseTooLarge = (maximum: number, what: string) =>
  new ProviderError(
    'too_large',
    `The provider's response exceeds the maximum of ${maximum.toLocaleString('en')} ${what}.`,
  );

interface MeetingList extends TextRange {
  name: string;
  meetings: TextRange[];
}

/** A page whose meetings are not parsed yet. */
interface PageJson {
  /** The page with empty lists of meetings. */
  envelope: unknown;
  /** The meetings, by the name of their list. */
  meetings: ReadonlyMap<string, readonly TextRange[]>;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Returns undefined if the text is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses a meeting as `parse` does, but an integer beyond 2^53 as its id becomes the text of its digits. */
function parseWithId(text: string, idName: string): unknown {
  const meeting = parse(text);
  if (!isObject(meeting)) return meeting;
  const id = meeting[idName];
  if (!Number.isInteger(id) || Number.isSafeInteger(id)) return meeting;
  // A quote within a string follows a backslash, so that a match is a member: of the meeting, or of a part of it.
  const members = text.matchAll(
    new RegExp(`(?<!\\\\)"${escapePattern(idName)}"\\s*:\\s*(-?\\d+)\\s*[,}]`, 'g'),
  );
  const [digits, ...others] = new Set(
    members.map(([, value]) => value).filter((value) => Number(value) === id),
  );
  return digits === undefined || others.length > 0 ? meeting : { ...meeting, [idName]: digits };
}

/** Nesting depth of a page's members, and of the items in its lists. */
const MEMBER_DEPTH = 1;
const ITEM_DEPTH = 2;

/**
 * Creates a scanner that finds a page's meetings in its text and checks the bounds. It does not validate the JSON;
 * parsing each part does.
 *
 * @param listNames names of the lists of meetings; null if the text is one meeting
 */
function createScanner(text: string, listNames: readonly string[] | null) {
  const lists: MeetingList[] = [];
  let list: MeetingList | null = listNames ? null : { name: '', start: 0, end: 0, meetings: [] };
  let depth = listNames ? 0 : ITEM_DEPTH;
  let isInString = false;
  /** The latest string at member depth: a member's name if a colon follows. */
  let latest: TextRange = { start: 0, end: 0 };
  let hasName = false;
  let meetingStart = 0;
  let values = 0;
  let envelopeCharacters = 0;
  let envelopeStart = 0;

  function beginList(start: number): void {
    const name = parse(text.slice(latest.start, latest.end));
    if (typeof name !== 'string' || !listNames?.includes(name)) return;
    list = { name, start, end: start, meetings: [] };
    envelopeCharacters += start - envelopeStart;
    meetingStart = start + 1;
    values = 0;
  }

  function endMeeting({ meetings }: MeetingList, end: number): void {
    meetings.push({ start: meetingStart, end });
    if (meetings.length > MAX_MEETINGS) throw responseTooLarge(MAX_MEETINGS, 'meetings per page');
    meetingStart = end + 1;
    values = 0;
  }

  function endList(ended: MeetingList, end: number): void {
    const isEmpty = ended.meetings.length === 0 && !/\S/.test(text.slice(meetingStart, end));
    if (!isEmpty) endMeeting(ended, end);
    lists.push({ ...ended, end: end + 1 });
    list = null;
    envelopeStart = end + 1;
  }

  function checkBounds(at: number): void {
    if (values > MAX_MEETING_VALUES) throw responseTooLarge(MAX_MEETING_VALUES, 'values per meeting');
    if (list && at - meetingStart > MAX_MEETING_CHARACTERS)
      throw responseTooLarge(MAX_MEETING_CHARACTERS, 'characters per meeting');
    if (!list && envelopeCharacters + at - envelopeStart > MAX_ENVELOPE_CHARACTERS)
      throw responseTooLarge(MAX_ENVELOPE_CHARACTERS, 'characters beside the meetings');
  }

  /** Reads one character outside of strings; returns false if the text is not JSON. */
  function readToken(code: number, at: number): boolean {
    if (code === QUOTE) {
      isInString = true;
      if (depth === MEMBER_DEPTH) latest = { start: at, end: at };
    } else if (code === COMMA) {
      if (depth === MEMBER_DEPTH) hasName = false;
      if (depth === ITEM_DEPTH && list && listNames) endMeeting(list, at);
      else values += 1;
    } else if (code === COLON) hasName ||= depth === MEMBER_DEPTH;
    else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      depth += 1;
      values += 1;
      if (code === OPEN_LIST && depth === ITEM_DEPTH && hasName) beginList(at);
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      if (depth === ITEM_DEPTH && list) {
        if (code === CLOSE_OBJECT || !listNames) return false;
        endList(list, at);
      }
      depth -= 1;
    }
    return true;
  }

  return {
    lists,
    /** Reads up to a position; returns the next one, or null if the text is not JSON. @throws ProviderError `too_large` */
    read(from: number, to: number): number | null {
      let at = from;
      for (; at < to; at += 1) {
        const code = text.charCodeAt(at);
        if (!isInString) {
          if (!readToken(code, at)) return null;
        } else if (code === BACKSLASH) at += 1;
        else if (code === QUOTE) {
          isInString = false;
          if (depth === MEMBER_DEPTH) latest.end = at + 1;
        }
      }
      checkBounds(at);
      return at;
    },
    isComplete: () => !isInString && depth === (listNames ? 0 : ITEM_DEPTH),
  };
}

/** Returns the lists of meetings; null if the text is not JSON or is truncated. @throws ProviderError `too_large` */
async function scan(text: string, listNames: readonly string[] | null): Promise<MeetingList[] | null> {
  const scanner = createScanner(text, listNames);
  const yieldToRequests = createTimeSlice();
  for (let at = 0; at < text.length; ) {
    await yieldToRequests();
    const next = scanner.read(at, Math.min(text.length, at + CHARACTERS_AT_ONCE));
    if (next === null) return null;
    at = next;
  }
  return scanner.isComplete() ? scanner.lists : null;
}

/** Returns undefined if the text is not JSON. @throws ProviderError `too_large` */
export async function parseMeetingJson(text: string, idName: string): Promise<unknown> {
  return (await scan(text, null)) ? parseWithId(text, idName) : undefined;
}

/**
 * Parses a page, except for its meetings.
 *
 * @param listNames names of the lists of meetings
 * @returns null if the text is not JSON or is truncated
 * @throws ProviderError `too_large`
 */
export async function parseEnvelope(text: string, listNames: readonly string[]): Promise<PageJson | null> {
  const lists = await scan(text, listNames);
  if (!lists) return null;
  let rest = '';
  let from = 0;
  for (const { start, end } of lists) {
    rest += `${text.slice(from, start)}[]`;
    from = end;
  }
  const envelope = parse(rest + text.slice(from));
  if (envelope === undefined) return null;
  return { envelope, meetings: new Map(lists.map(({ name, meetings }) => [name, meetings])) };
}

/** Parses meetings one by one and yields to requests in between. Ends with undefined at a meeting that is not JSON. */
export async function* parseMeetings(
  text: string,
  meetings: readonly TextRange[],
  idName: string,
): AsyncGenerator<unknown> {
  const yieldToRequests = createTimeSlice();
  for (const { start, end } of meetings) {
    await yieldToRequests();
    const meeting = parseWithId(text.slice(start, end), idName);
    await yieldToRequests();
    yield meeting;
    if (meeting === undefined) return;
  }
}
