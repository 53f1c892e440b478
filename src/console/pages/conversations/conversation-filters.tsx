import { Button, Group, NativeSelect } from '@mantine/core';
import type { useFilters } from '../../api/use-filters.ts';
import { DateTimeInput } from '../../components/date-time-input.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { DAY_MS } from '../../format.ts';
import type { ConversationStatus } from '../../generated/graphql.ts';
import { readChoiceParam, readTimeParam } from '../../search-params.ts';

/** In the order of a conversation's life cycle. */
const CONVERSATION_STATUSES = [
  'active',
  'handed_off',
  'ended',
  'converted',
  'closed',
] as const satisfies ConversationStatus[];

/** Searches for conversations, each with its label and its argument. */
export const SEARCHES = {
  text: { label: 'Words of the transcript', argument: 'text' },
  email: { label: 'Email address', argument: 'email' },
  visitor: { label: 'Visitor ID', argument: 'visitorId' },
  person: { label: 'Person ID', argument: 'resolvedPersonId' },
  company: { label: 'Company', argument: 'company' },
} as const;
type Search = keyof typeof SEARCHES;

/** Filters of the list; null matches everything. */
export interface ConversationFilters {
  status: ConversationStatus | null;
  converted: boolean | null;
  /** ISO 8601: conversations that started at this time or later. */
  since: string | null;
  /** What `find` is searched in. */
  by: Search | null;
  find: string | null;
}

const BOOLEANS: Record<string, boolean> = { true: true, false: false };

/** Reads the filters from the URL; invalid values are null. */
export const readConversationFilters = (params: URLSearchParams): ConversationFilters => ({
  status: readChoiceParam(params, 'status', CONVERSATION_STATUSES),
  converted: BOOLEANS[params.get('converted') ?? ''] ?? null,
  since: readTimeParam(params, 'since'),
  by: readChoiceParam(params, 'by', Object.keys(SEARCHES) as Search[]),
  find: params.get('find') || null,
});

const STATUS_OPTIONS = [
  { value: '', label: 'Any status' },
  ...CONVERSATION_STATUSES.map((status) => ({ value: status, label: status.replaceAll('_', ' ') })),
];

const CONVERTED_OPTIONS = [
  { value: '', label: 'All' },
  { value: 'true', label: 'Converted' },
  { value: 'false', label: 'Not converted' },
];

const SEARCH_OPTIONS = Object.entries(SEARCHES).map(([value, { label }]) => ({ value, label }));

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
}: ReturnType<typeof useFilters<ConversationFilters>>) {
  return (
    <Group align="flex-end" gap="sm">
      <NativeSelect
        label="Find by"
        data={SEARCH_OPTIONS}
        value={filters.by ?? 'text'}
        onChange={({ currentTarget }) => setFilter('by', currentTarget.value)}
      />
      <SearchInput
        label="Find conversations"
        placeholder="Person, company or words"
        value={filters.find ?? ''}
        onSearch={(text) => setFilter('find', text.trim())}
      />
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
