import type { TextRange } from '../../../platform/text-range.ts';
import { createTimeSlice } from '../../../platform/time-slice.ts';
import type { Participant, TranscriptSegment } from '../meetings.types.ts';
import { rangesOf } from './search-terms.ts';

export const SEARCH_FIELDS = ['title', 'participant', 'summary', 'transcript'] as const;
export type SearchField = (typeof SEARCH_FIELDS)[number];

export interface SearchMatch {
  field: SearchField;
  snippet: string;
  /** Matching words in the snippet. */
  highlights: TextRange[];
  /** Null unless the transcript matches. */
  segment: (Pick<TranscriptSegment, 'speaker' | 'startTime'> & { index: number }) | null;
}

/** Matching participants, and matching segments, per meeting in a result. */
export const MAX_MATCHES_PER_FIELD = 5;
const SNIPPET_LENGTH = 200;
/** Characters before the first match. */
const LEAD_LENGTH = 60;
const MAX_HIGHLIGHTS = 20;
/** Only the start of a long text is searched. */
const MAX_TEXT_LENGTH = 20_000;

/** Moves a position back to the start of its word, if that is at most 20 characters away. */
const toWordStart = (text: string, position: number): number => {
  const space = text.lastIndexOf(' ', position);
  return space >= position - 20 ? space + 1 : position;
};

/** Moves a position out of a surrogate pair, to its end. */
const toCharacter = (text: string, position: number): number =>
  (text.codePointAt(position - 1) ?? 0) > 0xffff ? position + 1 : position;

/** Returns the part of a text around its first match; null if nothing matches. */
function snippetOf(
  text: string,
  terms: readonly string[],
): Pick<SearchMatch, 'snippet' | 'highlights'> | null {
  const ranges = rangesOf(text.slice(0, MAX_TEXT_LENGTH), terms);
  const first = ranges[0];
  if (!first) return null;
  const isShort = text.length <= SNIPPET_LENGTH;
  const start =
    isShort || first.start <= LEAD_LENGTH
      ? 0
      : toCharacter(text, toWordStart(text, first.start - LEAD_LENGTH));
  const end = toCharacter(text, Math.min(text.length, start + SNIPPET_LENGTH));
  const [before, after] = [start > 0 ? '…' : '', end < text.length ? '…' : ''];
  const highlights: TextRange[] = [];
  for (const range of ranges) {
    // The words of an email address lie within its range.
    if (range.start < (highlights.at(-1)?.end ?? 0) || range.start >= end) continue;
    highlights.push({ start: range.start, end: Math.min(range.end, end) });
    if (highlights.length === MAX_HIGHLIGHTS) break;
  }
  return {
    snippet: before + text.slice(start, end) + after,
    highlights: highlights.map((range) => ({
      start: range.start - start + before.length,
      end: range.end - start + before.length,
    })),
  };
}

interface Place {
  field: SearchField;
  text: string | null;
  segment?: SearchMatch['segment'];
}

interface MatchedMeeting {
  title: string | null;
  participantsJson: readonly Participant[];
  summaryText: string | null;
  transcript: readonly TranscriptSegment[] | null;
  /** Indexes of the matching segments. */
  segments: readonly number[];
}

/** Finds the snippets of a meeting that match a search. Yields, because texts can be long. */
export async function matchesOf(meeting: MatchedMeeting, terms: readonly string[]): Promise<SearchMatch[]> {
  const { title, participantsJson, summaryText, transcript, segments } = meeting;
  const yieldToRequests = createTimeSlice();
  async function matchesIn(places: Iterable<Place>, limit: number): Promise<SearchMatch[]> {
    const matches: SearchMatch[] = [];
    for (const { field, text, segment = null } of places) {
      await yieldToRequests();
      const found = text === null ? null : snippetOf(text, terms);
      if (found) matches.push({ field, ...found, segment });
      if (matches.length === limit) break;
    }
    return matches;
  }
  const participants = participantsJson.map(
    ({ name, email }): Place => ({
      field: 'participant',
      text: email === null || email === name ? name : `${name} <${email}>`,
    }),
  );
  const spoken = segments.flatMap((index): Place[] => {
    const segment = transcript?.[index];
    if (!segment) return [];
    const { speaker, startTime, text } = segment;
    return [{ field: 'transcript', text, segment: { index, speaker, startTime } }];
  });
  return [
    ...(await matchesIn([{ field: 'title', text: title }], 1)),
    ...(await matchesIn(participants, MAX_MATCHES_PER_FIELD)),
    ...(await matchesIn([{ field: 'summary', text: summaryText }], 1)),
    ...(await matchesIn(spoken, MAX_MATCHES_PER_FIELD)),
  ];
}
