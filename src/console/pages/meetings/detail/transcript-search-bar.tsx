import { ActionIcon, Group, Text, Tooltip } from '@mantine/core';
import { IconChevronDown, IconChevronUp, IconSearch } from '@tabler/icons-react';
import { SearchInput } from '../../../components/search-input.tsx';
import { formatNumber } from '../../../format.ts';
import type { TranscriptSearch } from './use-transcript-search.ts';

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
