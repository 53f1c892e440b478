import { type InfiniteData, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';

/** A Relay connection of the GraphQL API. */
export interface Connection<N> {
  pageInfo: { hasNextPage: boolean; endCursor?: string | null };
  edges: { node: N }[];
}

export interface PagedList<N> {
  rows: N[];
  loading: boolean;
  error: unknown;
  /** Loads the next page; undefined on the last page. */
  showMore: (() => void) | undefined;
  loadingMore: boolean;
  /** When the oldest request of the shown rows was sent, as `performance.now()`; null before the first response. */
  requestedAt: number | null;
  /** Loads the shown rows again. */
  refetch: (options?: { cancelRefetch: boolean }) => Promise<unknown>;
}

interface TimedPage<N> extends Connection<N> {
  requestedAt: number;
}

interface PagedListOptions {
  refetchInterval?: number;
  /** False for a list with live updates, which reports all changes: a refetch would move its rows. */
  refetchOnWindowFocus?: boolean;
  /** Keeps the current rows on screen while a new key loads, for filters that change with each keystroke. */
  keepRows?: boolean;
}

/**
 * Loads a connection page by page.
 *
 * @param key query key: the list's name and its filters
 * @param loadPage loads the page after a cursor; null: the first page
 */
export function usePagedList<N>(
  key: readonly unknown[],
  loadPage: (after: string | null) => Promise<Connection<N>>,
  { keepRows = false, ...options }: PagedListOptions = {},
): PagedList<N> {
  const query = useInfiniteQuery<
    TimedPage<N>,
    Error,
    InfiniteData<TimedPage<N>>,
    readonly unknown[],
    string | null
  >({
    queryKey: key,
    queryFn: async ({ pageParam }) => {
      const requestedAt = performance.now();
      return { ...(await loadPage(pageParam)), requestedAt };
    },
    initialPageParam: null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null),
    ...(keepRows && { placeholderData: keepPreviousData }),
    ...options,
  });
  return {
    rows: query.data?.pages.flatMap(({ edges }) => edges.map(({ node }) => node)) ?? [],
    loading: query.isPending,
    error: query.error,
    showMore: query.hasNextPage && !query.isPlaceholderData ? () => void query.fetchNextPage() : undefined,
    loadingMore: query.isFetchingNextPage,
    requestedAt: query.data ? Math.min(...query.data.pages.map(({ requestedAt }) => requestedAt)) : null,
    refetch: query.refetch,
  };
}
