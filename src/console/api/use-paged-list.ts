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
}

interface PagedListOptions {
  refetchInterval?: number;
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
    Connection<N>,
    Error,
    InfiniteData<Connection<N>>,
    readonly unknown[],
    string | null
  >({
    queryKey: key,
    queryFn: ({ pageParam }) => loadPage(pageParam),
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
  };
}
