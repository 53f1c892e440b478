import { type InfiniteData, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';

/** A connection, as every list of the API is one. */
export interface Page<N> {
  pageInfo: { hasNextPage: boolean; endCursor?: string | null };
  edges: { node: N }[];
}

export interface Paged<N> {
  rows: N[];
  loading: boolean;
  error: unknown;
  /** Reads the next page; undefined when there is none. */
  more: (() => void) | undefined;
  loadingMore: boolean;
}

interface PagedOptions {
  enabled?: boolean;
  refetchInterval?: number;
  /** Goes on showing what is there while the key changes, as it does with each word that is typed. */
  keepRows?: boolean;
}

/**
 * A list that is read page by page, when its reader asks for more.
 *
 * @param key what the list depends on: its name, its filters
 * @param read gives the page behind a cursor; null: the first one
 */
export function usePaged<N>(
  key: readonly unknown[],
  read: (after: string | null) => Promise<Page<N>>,
  { keepRows = false, ...options }: PagedOptions = {},
): Paged<N> {
  const query = useInfiniteQuery<Page<N>, Error, InfiniteData<Page<N>>, readonly unknown[], string | null>({
    queryKey: key,
    queryFn: ({ pageParam }) => read(pageParam),
    initialPageParam: null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null),
    ...(keepRows && { placeholderData: keepPreviousData }),
    ...options,
  });
  return {
    rows: query.data?.pages.flatMap(({ edges }) => edges.map(({ node }) => node)) ?? [],
    loading: query.isPending,
    error: query.error,
    more: query.hasNextPage && !query.isPlaceholderData ? () => void query.fetchNextPage() : undefined,
    loadingMore: query.isFetchingNextPage,
  };
}
