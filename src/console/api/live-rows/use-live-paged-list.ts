import { useQueryClient } from '@tanstack/react-query';
import { type RefObject, useEffect, useRef, useState } from 'react';
import type { TypedDocumentString } from '../../generated/graphql.ts';
import { STALE_TIME_MS } from '../query-client.ts';
import { useBatchedCallback } from '../use-batched-callback.ts';
import { useLiveSubscription } from '../use-live-subscription.ts';
import { type ListQuery, type LoadedRows, type PagedList, usePagedList } from '../use-paged-list.ts';
import {
  addChanges,
  type Change,
  type Changes,
  countNewRows,
  currentRows,
  type ListOrder,
  MAX_CHANGES,
} from './merge-live-rows.ts';

/** Interval at which the list checks whether it can show new rows. */
const NEW_ROWS_CHECK_MS = 500;

interface LivePagedListOptions<U> extends ListOrder<U> {
  paused: boolean;
  /** Interval of refetches for a list that updates cannot keep up to date; false for all others. Milliseconds. */
  refetchInterval?: number | false;
}

export interface LiveRows {
  /** True while the subscription is connected. */
  live: boolean;
  /** Number of new rows that are not shown because the user is reading. */
  hiddenCount: number;
  showNewRows(): void;
  /** The list's element. It needs a `tabIndex`: it receives the focus when its button disappears. */
  list: RefObject<HTMLDivElement | null>;
}

const isScrolledPastTop = (list: HTMLElement | null): boolean => (list?.getBoundingClientRect().top ?? 0) < 0;

/** Returns true while new rows would move what the user is reading. */
const isUserReading = (list: HTMLElement | null): boolean =>
  isScrolledPastTop(list) || list?.querySelector('tbody')?.matches(':hover, :focus-within') === true;

/**
 * Loads the page of a connection that the URL selects, and keeps it up to date. Live changes update rows in place; new
 * rows appear by a refetch, but not while the user is reading.
 *
 * @typeParam N a row as it is loaded
 * @typeParam U a row as an update has it: without fields that do not change
 */
export function useLivePagedList<N extends U, U extends { id: string }, R, V extends Record<string, unknown>>(
  source: ListQuery<N>,
  subscription: RowSubscription<U, R, V>,
  { paused, refetchInterval = false, ...order }: LivePagedListOptions<U>,
): Omit<PagedList<N>, 'rows'> & { rows: U[] } & LiveRows {
  const page = usePagedList(source, {
    // Changes are buffered for the shown page only, so a cached page may be outdated.
    staleTime: 0,
    // Its link may have loaded it just now, and the subscription refetches it when it connects.
    refetchOnMount: (query) => query.isStaleByTime(STALE_TIME_MS),
    // The subscription reports all changes, and a refetch on focus would move the rows.
    refetchOnWindowFocus: false,
    refetchInterval,
  });
  const { loaded, queryKey, position, loadingPage, refetch } = page;
  const showsNewest = position.after === null;
  const list = useRef<HTMLDivElement>(null);
  const { live, changes } = useLiveChanges(subscription, {
    ...order,
    enabled: !paused,
    showsNewest,
    queryKey,
  });
  const newCount =
    loaded && showsNewest && !loadingPage && !paused ? countNewRows(loaded, changes, order) : 0;
  const hasNew = newCount > 0;
  const [holding, setHolding] = useState(false);

  useEffect(() => {
    if (!hasNew) return;
    const timer = setInterval(() => {
      const reading = isUserReading(list.current);
      setHolding(reading);
      if (!reading) void refetch({ cancelRefetch: false });
    }, NEW_ROWS_CHECK_MS);
    return () => clearInterval(timer);
  }, [hasNew, refetch]);

  return {
    ...page,
    rows: loaded ? currentRows(loaded, changes) : [],
    live,
    hiddenCount: holding ? newCount : 0,
    showNewRows() {
      void refetch();
      list.current?.focus({ preventScroll: true });
      if (isScrolledPastTop(list.current)) list.current?.scrollIntoView();
    },
    list,
  };
}

interface RowSubscription<N, R, V> {
  document: TypedDocumentString<R, V>;
  variables: V;
  rowOf: (data: R) => N;
}

interface LiveChangesOptions<N> extends ListOrder<N> {
  enabled: boolean;
  /** False on every page after the first, which does not have the newest rows. */
  showsNewest: boolean;
  /** Query of the shown rows; refetched whenever the subscription connects. */
  queryKey: readonly unknown[];
}

/** Buffers the changes of rows since the shown ones were requested. */
function useLiveChanges<N extends { id: string }, R, V extends Record<string, unknown>>(
  { document, variables, rowOf }: RowSubscription<N, R, V>,
  { enabled, queryKey, ...list }: LiveChangesOptions<N>,
): { live: boolean; changes: Changes<N> } {
  const queries = useQueryClient();
  const [changes, setChanges] = useState<Changes<N>>(new Map());
  const batch = useRef<Change<N>[]>([]);

  const flush = useBatchedCallback(() => {
    const added = batch.current;
    batch.current = [];
    // Reads the cache, because the rendered state can lag behind the request.
    const state = queries.getQueryState<LoadedRows<N>>(queryKey);
    const isFetching = state?.fetchStatus !== 'idle';
    const next = addChanges(changes, added, { ...list, loaded: state?.data, isFetching });
    const isOverflow = isFetching && next.size >= MAX_CHANGES;
    setChanges(isOverflow ? new Map() : next);
    // The dropped changes may concern rows of the request in flight.
    if (isOverflow) void queries.invalidateQueries({ queryKey });
  });
  const live = useLiveSubscription(
    document,
    variables,
    (data) => {
      batch.current.push({ row: rowOf(data), receivedAt: performance.now() });
      flush();
    },
    { enabled, queryKey },
  );
  return { live, changes };
}
