import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type PagePosition, usePagePosition } from './use-page-position.ts';

/** A Relay connection of the GraphQL API. */
export interface Connection<N> {
  pageInfo: { hasNextPage: boolean; endCursor?: string | null };
  edges: { node: N }[];
}

/** Position of a list and its next page. */
export interface Paging {
  position: PagePosition;
  /** Cursor of the next page; null on the last page. */
  next: string | null;
  /** True while the previous page is still shown because the requested one is loading. */
  loadingPage: boolean;
}

export interface PagedList<N> extends Paging {
  /** Rows of the page; empty while the first one loads. */
  rows: N[];
  loading: boolean;
  error: unknown;
}

/** Cursor of the page after this one; null on the last page. */
export const nextCursor = ({ pageInfo }: Pick<Connection<unknown>, 'pageInfo'>): string | null =>
  pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null;

/**
 * Loads the page of a connection that the URL selects. Keeps the previous rows while another page or filter loads.
 *
 * @param key query key: the list's name and its filters
 * @param loadPage loads the page after a cursor; null: the first page
 */
export function usePagedList<N>(
  key: readonly unknown[],
  loadPage: (after: string | null) => Promise<Connection<N>>,
  options: { refetchInterval?: number } = {},
): PagedList<N> {
  const position = usePagePosition();
  const { data, error, isPending, isPlaceholderData } = useQuery({
    queryKey: [...key, position.after],
    queryFn: () => loadPage(position.after),
    placeholderData: keepPreviousData,
    ...options,
  });
  return {
    rows: data?.edges.map(({ node }) => node) ?? [],
    loading: isPending,
    error,
    position,
    next: data ? nextCursor(data) : null,
    loadingPage: isPlaceholderData,
  };
}
