/** Rows of a list as they were loaded. */
export interface LoadedRows<N> {
  rows: N[];
  /** True if no further rows follow. */
  isComplete: boolean;
  /** When the request was sent, as `performance.now()`. */
  requestedAt: number;
}

/** An update of a row from a subscription. */
export interface Change<N> {
  row: N;
  /** When it was received, as `performance.now()`. */
  receivedAt: number;
}

export type Changes<N> = ReadonlyMap<string, Change<N>>;

/** Maximum number of rows with buffered changes; changes of further rows are dropped. */
export const MAX_CHANGES = 1_000;

/** Adds changes to the buffer and drops those that the loaded rows already contain. */
export function addChanges<N extends { id: string }>(
  buffered: Changes<N>,
  added: Iterable<Change<N>>,
  requestedAt: number,
): Changes<N> {
  const next = new Map([...buffered].filter(([, { receivedAt }]) => receivedAt >= requestedAt));
  for (const change of added) {
    const { id } = change.row;
    if (change.receivedAt >= requestedAt && (next.has(id) || next.size < MAX_CHANGES)) next.set(id, change);
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

interface Order<N> {
  /** Sort key: a newer row has a greater one. */
  orderOf: (row: N) => string;
  /** Returns true for rows that the filter of the list includes. */
  matches: (row: N) => boolean;
}

/** Counts the rows that a refetch of the list from its beginning would add. */
export function countNewRows<N extends { id: string }>(
  { rows, isComplete, requestedAt }: LoadedRows<N>,
  changes: Changes<N>,
  { orderOf, matches }: Order<N>,
): number {
  const shown = new Set(rows.map(({ id }) => id));
  // Of an incomplete list, the rows after the last one are not shown yet.
  const last = rows.at(-1);
  const lowest = isComplete || !last ? '' : orderOf(last);
  let count = 0;
  for (const { row, receivedAt } of changes.values()) {
    if (receivedAt >= requestedAt && orderOf(row) > lowest && !shown.has(row.id) && matches(row)) count += 1;
  }
  return count;
}
