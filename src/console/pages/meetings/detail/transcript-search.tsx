import { ActionIcon, Group, Text, Tooltip } from '@mantine/core';
import { IconChevronDown, IconChevronUp, IconSearch } from '@tabler/icons-react';
import { startTransition, useMemo, useState } from 'react';
import type { TextRange } from '../../../components/marked-text.tsx';
import { SearchInput } from '../../../components/search-input.tsx';
import { formatNumber } from '../../../format.ts';
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

const STEPS = [
  { step: -1, label: 'Previous match', key: 'Shift+Enter', Icon: IconChevronUp },
  { step: 1, label: 'Next match', key: 'Enter', Icon: IconChevronDown },
] as const;

/** Search box of the transcript with the position among the matches; Enter moves to the next match. */
export function TranscriptSearchBar({ search }: { search: TranscriptSearch }) {
  const { text, matches, position, start, move } = search;
  const count = matches.size;
  const isSearching = text.trim() !== '';
  return (
    <Group gap="xs" align="flex-end">
      <SearchInput
        label="Search transcript"
        icon={<IconSearch size={16} aria-hidden />}
        value={text}
        onSearch={start}
        onEnter={(withShift) => move(withShift ? -1 : 1)}
      />
      {count > 0 && (
        <Group gap={4} wrap="nowrap" mih={36}>
          {STEPS.map(({ step, label, key, Icon }) => (
            <Tooltip key={label} label={`${label} (${key})`}>
              <ActionIcon variant="default" size="lg" aria-label={label} onClick={() => move(step)}>
                <Icon size={16} aria-hidden />
              </ActionIcon>
            </Tooltip>
          ))}
        </Group>
      )}
      <Text size="sm" c="dimmed" role="status" lh="36px">
        {isSearching &&
          (count === 0
            ? 'No matching segments.'
            : `${formatNumber(position)} of ${formatNumber(count)} matching segments`)}
      </Text>
    </Group>
  );
}
