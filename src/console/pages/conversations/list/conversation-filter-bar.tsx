import { Button, Group, NativeSelect } from '@mantine/core';
import { DateTimeInput } from '../../../components/date-time-input.tsx';
import { DAY_MS } from '../../../format.ts';
import { CONVERSATION_STATUSES, type useConversationFilters } from './use-conversation-filters.ts';

const STATUS_OPTIONS = [
  { value: '', label: 'Any status' },
  ...CONVERSATION_STATUSES.map((status) => ({ value: status, label: status.replaceAll('_', ' ') })),
];

const CONVERTED_OPTIONS = [
  { value: '', label: 'All' },
  { value: 'true', label: 'Converted' },
  { value: 'false', label: 'Not converted' },
];

const TIME_RANGES = [
  { label: 'Last 24 hours', days: 1 },
  { label: 'Last 7 days', days: 7 },
  { label: 'Last 30 days', days: 30 },
];

export function ConversationFilterBar({
  filters,
  isFiltered,
  setFilter,
  clearFilters,
}: ReturnType<typeof useConversationFilters>) {
  return (
    <Group align="flex-end" gap="sm">
      <NativeSelect
        label="Status"
        data={STATUS_OPTIONS}
        value={filters.status ?? ''}
        onChange={({ currentTarget }) => setFilter('status', currentTarget.value)}
      />
      <NativeSelect
        label="Conversion"
        data={CONVERTED_OPTIONS}
        value={filters.converted === null ? '' : String(filters.converted)}
        onChange={({ currentTarget }) => setFilter('converted', currentTarget.value)}
      />
      <DateTimeInput
        label="Started since"
        value={filters.since}
        onChange={(since) => setFilter('since', since)}
      />
      <Group gap={4} role="group" aria-label="Time range">
        {TIME_RANGES.map(({ label, days }) => (
          <Button
            key={label}
            variant="default"
            px="sm"
            onClick={() => setFilter('since', new Date(Date.now() - days * DAY_MS).toISOString())}
          >
            {label}
          </Button>
        ))}
      </Group>
      {isFiltered && (
        <Button variant="subtle" onClick={clearFilters}>
          Clear filters
        </Button>
      )}
    </Group>
  );
}
