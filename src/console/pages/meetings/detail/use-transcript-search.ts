import { startTransition, useMemo, useState } from 'react';
import type { TextRange } from '../../../components/marked-text.tsx';
import type { Segment } from './use-meeting.ts';

/** Ranges of the matches in each matching segment, by its index. */
export type Matches = ReadonlyMap<number, readonly TextRange[]>;

export const NO_MATCHES: readonly TextRange[] = [];

/** Finds a text in any case. */
function findMatches(segments: readonly Segment[], searchText: string): Matches {
  const matches = new Map<number, TextRange[]>();
  if (searchText === '') return matches;
  const pattern = new RegExp(searchText.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`), 'giu');
  for (const { index, text } of segments) {
    const ranges = Array.from(text.matchAll(pattern), ({ 0: match, index: start }) => ({
      start,
      end: start + match.length,
    }));
    if (ranges.length > 0) matches.set(index, ranges);
  }
  return matches;
}

export interface TranscriptSearch {
  text: string;
  matches: Matches;
  /** Position of the current segment among the matching ones, from 1; 0 without a match. */
  position: number;
  /** Index of the segment that the search is at; null without a match. */
  current: number | null;
  start: (text: string) => void;
  /** Moves to the next matching segment, or to the previous one by -1; continues at the other end. */
  move: (step: 1 | -1) => void;
}

/** Search in a transcript. */
export function useTranscriptSearch(segments: readonly Segment[]): TranscriptSearch {
  const [text, setText] = useState('');
  const [position, setPosition] = useState(0);
  const matches = useMemo(() => findMatches(segments, text.trim()), [segments, text]);
  const found = useMemo(() => [...matches.keys()], [matches]);
  const current = found[position] ?? null;
  return {
    text,
    matches,
    position: current === null ? 0 : position + 1,
    current,
    start: (next) =>
      // Marking thousands of matches does not block typing.
      startTransition(() => {
        setText(next);
        setPosition(0);
      }),
    move: (step) => {
      if (found.length > 0) setPosition((position + step + found.length) % found.length);
    },
  };
}
