import { Button, Group, NativeSelect } from '@mantine/core';
import { MomentInput } from '../../../components/date-time-input.tsx';
import { STATUSES, type useFilters } from './use-conversation-filters.ts';

const STATUS_CHOICES = [
  { value: '', label: 'Any status' },
  ...STATUSES.map((status) => ({ value: status, label: status.replaceAll('_', ' ') })),
];

const CONVERTED_CHOICES = [
  { value: '', label: 'All' },
  { value: 'true', label: 'Converted' },
  { value: 'false', label: 'Not converted' },
];

const DAY_MS = 86_400_000;
const SPANS = [
  { label: 'Last 24 hours', days: 1 },
  { label: 'Last 7 days', days: 7 },
  { label: 'Last 30 days', days: 30 },
];

/** Narrows the list. */
export function FilterBar({ filters, set, clear }: ReturnType<typeof useFilters>) {
  const narrowed = Object.values(filters).some((value) => value !== null);
  return (
    <Group align="flex-end" gap="sm">
      <NativeSelect
        label="Status"
        data={STATUS_CHOICES}
        value={filters.status ?? ''}
        onChange={({ currentTarget }) => set('status', currentTarget.value)}
      />
      <NativeSelect
        label="Conversion"
        data={CONVERTED_CHOICES}
        value={filters.converted === null ? '' : String(filters.converted)}
        onChange={({ currentTarget }) => set('converted', currentTarget.value)}
      />
      <MomentInput label="Started since" value={filters.since} onChange={(since) => set('since', since)} />
      <Group gap={4} role="group" aria-label="Started in">
        {SPANS.map(({ label, days }) => (
          <Button
            key={label}
            variant="default"
            px="sm"
            onClick={() => set('since', new Date(Date.now() - days * DAY_MS).toISOString())}
          >
            {label}
          </Button>
        ))}
      </Group>
      {narrowed && (
        <Button variant="subtle" onClick={clear}>
          Clear filters
        </Button>
      )}
    </Group>
  );
}
