import { useSearchParams } from 'wouter';
import type { ConversationStatus } from '../../../generated/graphql.ts';

/** In the order in which a conversation goes through them. */
export const STATUSES = [
  'active',
  'handed_off',
  'ended',
  'converted',
  'closed',
] as const satisfies ConversationStatus[];

/** What the list is narrowed to; null: not by that. */
export interface Filters {
  status: ConversationStatus | null;
  converted: boolean | null;
  /** ISO 8601: only those that started at or after. */
  since: string | null;
}

const CONVERTED: Record<string, boolean> = { true: true, false: false };

/** Filters as the address has them; what it has that makes no sense counts as none. */
function readFilters(params: URLSearchParams): Filters {
  const since = Date.parse(params.get('since') ?? '');
  return {
    status: STATUSES.find((status) => status === params.get('status')) ?? null,
    converted: CONVERTED[params.get('converted') ?? ''] ?? null,
    since: Number.isNaN(since) ? null : new Date(since).toISOString(),
  };
}

/** The filters, kept in the address: a view can be linked, and going back undoes a choice. */
export function useFilters() {
  const [params, setParams] = useSearchParams();
  return {
    filters: readFilters(params),
    set(name: keyof Filters, value: string | null): void {
      setParams((before) => {
        const after = new URLSearchParams(before);
        if (value) after.set(name, value);
        else after.delete(name);
        return after;
      });
    },
    clear: () => setParams({}),
  };
}
