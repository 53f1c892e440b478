import { type RefObject, useEffect, useRef, useState } from 'react';
import { countNewRows, currentRows, type LoadedRows } from './merge-live-rows.ts';
import { type RowSubscription, useLiveChanges } from './use-live-changes.ts';

/** Interval at which the list checks whether it can show new rows. */
const NEW_ROWS_CHECK_MS = 500;

interface LiveRowsOptions<N> {
  /** Undefined while the list loads. */
  loaded: LoadedRows<N> | undefined;
  /** False if the newest rows are not part of the list, as on a further page. */
  showsNewest: boolean;
  /** Stops the live updates. */
  paused: boolean;
  queryKey: readonly unknown[];
  refetch: (options?: { cancelRefetch: boolean }) => Promise<unknown>;
  /** Sort key: a newer row has a greater one. */
  orderOf: (row: N) => string;
  /** Returns true for rows that the filter of the list includes. */
  matches: (row: N) => boolean;
}

export interface LiveRows<N> {
  /** Undefined while the list loads. */
  rows: N[] | undefined;
  /** True while the subscription is connected. */
  live: boolean;
  /** Number of new rows that are not shown because the user is reading. */
  hiddenCount: number;
  showNewRows(): void;
  /** The element of the list. */
  list: RefObject<HTMLDivElement | null>;
}

const isScrolledPastTop = (list: HTMLElement | null): boolean => (list?.getBoundingClientRect().top ?? 0) < 0;

/** Returns true while new rows would move what the user is reading. */
const isUserReading = (list: HTMLElement | null): boolean =>
  isScrolledPastTop(list) || list?.querySelector('tbody')?.matches(':hover, :focus-within') === true;

/**
 * Keeps the loaded rows of a list up to date. Live changes update rows in place; new rows appear by a refetch, but not
 * while the user is reading.
 */
export function useLiveRows<N extends { id: string }, R, V extends Record<string, unknown>>(
  subscription: RowSubscription<N, R, V>,
  { loaded, showsNewest, paused, queryKey, refetch, orderOf, matches }: LiveRowsOptions<N>,
): LiveRows<N> {
  const list = useRef<HTMLDivElement>(null);
  const { live, changes } = useLiveChanges(subscription, {
    enabled: !paused,
    requestedAt: loaded?.requestedAt ?? 0,
    queryKey,
  });
  const newCount = loaded && showsNewest && !paused ? countNewRows(loaded, changes, { orderOf, matches }) : 0;
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
    rows: loaded && currentRows(loaded, changes),
    live,
    hiddenCount: holding ? newCount : 0,
    showNewRows() {
      void refetch();
      if (isScrolledPastTop(list.current)) list.current?.scrollIntoView();
    },
    list,
  };
}
