import { Button, Group, NativeSelect } from '@mantine/core';
import { KEY_STATES, type KeyState } from '../../../shared/key-limits.ts';
import type { useFilters } from '../../api/use-filters.ts';
import { SearchInput } from '../../components/search-input.tsx';
import type { KeyScope } from '../../generated/graphql.ts';
import { readChoiceParam } from '../../search-params.ts';
import { useSession } from '../../session/session.tsx';

const KEY_SCOPES = ['read', 'write', 'admin'] as const satisfies KeyScope[];
const OWNERS = ['customer'] as const;

/** Filters of the list; null matches everything. */
export interface KeyFilters {
  text: string | null;
  scope: KeyScope | null;
  state: KeyState | null;
  /** `customer` for the keys of the active customer. */
  owner: (typeof OWNERS)[number] | null;
}

/** Reads the filters from the URL; invalid values are null. */
export const readKeyFilters = (params: URLSearchParams): KeyFilters => ({
  text: params.get('text') || null,
  scope: readChoiceParam(params, 'scope', KEY_SCOPES),
  state: readChoiceParam(params, 'state', KEY_STATES),
  owner: readChoiceParam(params, 'owner', OWNERS),
});

const optionsOf = (any: string, values: readonly string[]) => [
  { value: '', label: any },
  ...values.map((value) => ({ value, label: value })),
];

const SCOPE_OPTIONS = optionsOf('Any scope', KEY_SCOPES);
const STATE_OPTIONS = optionsOf('Any state', KEY_STATES);

export function KeyFilterBar({
  filters,
  isFiltered,
  setFilter,
  clearFilters,
}: ReturnType<typeof useFilters<KeyFilters>>) {
  const { customerId } = useSession();
  return (
    <Group align="flex-end" gap="sm">
      <SearchInput
        label="Search keys"
        placeholder="Name or first characters"
        value={filters.text ?? ''}
        onSearch={(text) => setFilter('text', text.trim())}
      />
      <NativeSelect
        label="Scope"
        data={SCOPE_OPTIONS}
        value={filters.scope ?? ''}
        onChange={({ currentTarget }) => setFilter('scope', currentTarget.value)}
      />
      <NativeSelect
        label="State"
        data={STATE_OPTIONS}
        value={filters.state ?? ''}
        onChange={({ currentTarget }) => setFilter('state', currentTarget.value)}
      />
      {customerId !== null && (
        <NativeSelect
          label="Owner"
          data={[
            { value: '', label: 'Any owner' },
            { value: 'customer', label: 'Active customer' },
          ]}
          value={filters.owner ?? ''}
          onChange={({ currentTarget }) => setFilter('owner', currentTarget.value)}
        />
      )}
      {isFiltered && (
        <Button variant="subtle" onClick={clearFilters}>
          Clear filters
        </Button>
      )}
    </Group>
  );
}
