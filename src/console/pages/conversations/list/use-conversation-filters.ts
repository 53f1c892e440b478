import { useSearchParams } from 'wouter';
import { FIRST_PAGE } from '../../../api/use-page-position.ts';
import type { ConversationStatus } from '../../../generated/graphql.ts';
import { readTimeParam, withSearchParams } from '../../../search-params.ts';

/** In the order of a conversation's life cycle. */
export const CONVERSATION_STATUSES = [
  'active',
  'handed_off',
  'ended',
  'converted',
  'closed',
] as const satisfies ConversationStatus[];

/** Filters of the list; null matches everything. */
interface ConversationFilters {
  status: ConversationStatus | null;
  converted: boolean | null;
  /** ISO 8601: conversations that started at this time or later. */
  since: string | null;
}

const BOOLEANS: Record<string, boolean> = { true: true, false: false };

/** Reads the filters from the URL; ignores invalid values. */
const readFilters = (params: URLSearchParams): ConversationFilters => ({
  status: CONVERSATION_STATUSES.find((status) => status === params.get('status')) ?? null,
  converted: BOOLEANS[params.get('converted') ?? ''] ?? null,
  since: readTimeParam(params, 'since'),
});

/** Filters kept in the URL, so that a filtered list can be linked and back navigation restores the previous one. */
export function useConversationFilters() {
  const [params, setParams] = useSearchParams();
  const filters = readFilters(params);
  return {
    filters,
    isFiltered: Object.values(filters).some((value) => value !== null),
    setFilter: (name: keyof ConversationFilters, value: string | null) =>
      setParams((current) => withSearchParams(current, { ...FIRST_PAGE, [name]: value })),
    clearFilters: () => setParams({}),
  };
}
