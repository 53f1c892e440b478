import type { LoadedRows } from '../use-paged-list.ts';

/** An update of a row from a subscription. */
export interface Change<N> {
  row: N;
  /** When it was received, as `performance.now()`. */
  receivedAt: number;
}

export type Changes<N> = ReadonlyMap<string, Change<N>>;

/** Order and filter of a list. */
export interface ListOrder<N> {
  /** Sort key: a newer row has a greater one. */
  orderOf: (row: N) => string;
  /** Returns true for rows that the filter of the list includes. */
  matches: (row: N) => boolean;
}

interface ShownList<N> extends ListOrder<N> {
  /** Undefined before the first response. */
  loaded: LoadedRows<N> | undefined;
  /** False on every page after the first, which does not have the newest rows. */
  showsNewest: boolean;
  /** True while a request is in flight. Its rows are unknown, so every change can concern them. */
  isFetching: boolean;
}

/** Maximum number of buffered changes of rows that are not shown; it bounds the count of new rows. */
export const MAX_CHANGES = 1_000;

/** Returns a predicate for rows that a refetch of the list from its beginning would add. */
function newRowOf<N extends { id: string }>(
  { rows, next }: LoadedRows<N>,
  { orderOf, matches }: ListOrder<N>,
): (row: N) => boolean {
  const shown = new Set(rows.map(({ id }) => id));
  // The rows after the last one of an incomplete list are on the next page.
  const last = rows.at(-1);
  const lowest = next === null || !last ? '' : orderOf(last);
  return (row) => !shown.has(row.id) && orderOf(row) > lowest && matches(row);
}

/**
 * Adds changes to the buffer. Drops a change that the loaded rows contain, and a change of a row that is neither shown nor
 * new. Beyond the maximum, drops changes of rows that are not shown.
 */
export function addChanges<N extends { id: string }>(
  buffered: Changes<N>,
  added: Iterable<Change<N>>,
  { loaded, showsNewest, isFetching, ...order }: ShownList<N>,
): Changes<N> {
  const shown = new Set(loaded?.rows.map(({ id }) => id));
  const requestedAt = loaded?.requestedAt ?? 0;
  const isNew = loaded && newRowOf(loaded, order);
  const isRelevant = (row: N): boolean =>
    isFetching || !isNew || shown.has(row.id) || (showsNewest && isNew(row));
  const next = new Map<string, Change<N>>();
  // The latest change of a row replaces the buffered one, and removes it if the row no longer matches.
  const latest = new Map([...buffered, ...[...added].map((change) => [change.row.id, change] as const)]);
  let hiddenCount = 0;
  for (const [id, change] of latest) {
    if (change.receivedAt < requestedAt || !isRelevant(change.row)) continue;
    if (!shown.has(id) && ++hiddenCount > MAX_CHANGES) continue;
    next.set(id, change);
  }
  return next;
}

/** Applies the buffered changes to the loaded rows without adding or removing rows. */
export const currentRows = <N extends { id: string }>(
  { rows, requestedAt }: LoadedRows<N>,
  changes: Changes<N>,
): N[] =>
  rows.map((row) => {
    const change = changes.get(row.id);
    return change && change.receivedAt >= requestedAt ? change.row : row;
  });

/** Counts the rows that a refetch of the list from its beginning would add. */
export function countNewRows<N extends { id: string }>(
  loaded: LoadedRows<N>,
  changes: Changes<N>,
  order: ListOrder<N>,
): number {
  const isNew = newRowOf(loaded, order);
  let count = 0;
  for (const { row, receivedAt } of changes.values()) {
    if (receivedAt >= loaded.requestedAt && isNew(row)) count += 1;
  }
  return count;
}
