import { keepPreviousData, type Query, type QueryKey, useQuery } from '@tanstack/react-query';
import { type PagePosition, usePagePosition } from './use-page-position.ts';

/** A Relay connection of the GraphQL API. */
export interface Connection<N> {
  pageInfo: { hasNextPage: boolean; endCursor?: string | null };
  edges: { node: N }[];
}

/** A list as pages declare it. */
export interface ListQuery<N> {
  /** Name of the list and its filters. */
  key: QueryKey;
  /** Loads the page after a cursor; null: the first page. */
  loadPage: (after: string | null) => Promise<Connection<N>>;
}

/** Position of a list and its next page. */
export interface Paging {
  position: PagePosition;
  /** Cursor of the next page; null on the last page. */
  next: string | null;
  /** True while the previous page is shown because the requested one is loading. */
  loadingPage: boolean;
}

export interface LoadedRows<N> {
  rows: N[];
  /** Cursor of the next page; null on the last page. */
  next: string | null;
  /** When the request was sent, as `performance.now()`. */
  requestedAt: number;
}

export interface PagedList<N> extends Paging {
  /** Rows of the page; empty while the first one loads. */
  rows: N[];
  loading: boolean;
  error: unknown;
  /** The page as it was loaded; undefined before the first response. */
  loaded: LoadedRows<N> | undefined;
  queryKey: QueryKey;
  refetch: (options?: { cancelRefetch: boolean }) => Promise<unknown>;
}

interface PagedListOptions {
  refetchInterval?: number | false;
  /** False for a list with live updates: the subscription reports every change, and a refetch would move the rows. */
  refetchOnWindowFocus?: boolean;
  /** How long a cached page is shown without a request. Milliseconds. */
  staleTime?: number;
  refetchOnMount?: (query: Pick<Query, 'isStaleByTime'>) => boolean;
}

/** Cursor of the page after this one; null on the last page. */
const nextCursor = ({ pageInfo }: Connection<unknown>): string | null =>
  pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null;

/** The query of the page after a cursor; null: of the first page. */
const pageQuery = <N>({ key, loadPage }: ListQuery<N>, after: string | null) => ({
  queryKey: [...key, after],
  queryFn: async (): Promise<LoadedRows<N>> => {
    const requestedAt = performance.now();
    const page = await loadPage(after);
    return { rows: page.edges.map(({ node }) => node), next: nextCursor(page), requestedAt };
  },
});

export const firstPageQuery = <N>(list: ListQuery<N>) => pageQuery(list, null);

/** Loads the page of a list that the URL selects. Keeps the previous rows while another page or filter loads. */
export function usePagedList<N>(list: ListQuery<N>, options: PagedListOptions = {}): PagedList<N> {
  const position = usePagePosition();
  const query = pageQuery(list, position.after);
  const { data, error, isPending, isPlaceholderData, refetch } = useQuery({
    ...query,
    placeholderData: keepPreviousData,
    ...options,
  });
  return {
    rows: data?.rows ?? [],
    loading: isPending,
    error,
    position,
    next: data?.next ?? null,
    loadingPage: isPlaceholderData,
    loaded: data,
    queryKey: query.queryKey,
    refetch,
  };
}
