/** Request for at most `limit` rows after the row of cursor `after`. */
export interface PageRequest {
  limit: number;
  /** Opaque cursor; null for the first page. */
  after: string | null;
}

/** A row and its cursor. */
export interface Edge<T> {
  cursor: string;
  node: T;
}

/** One page of a list, in the order of the list. */
export interface Page<T> {
  edges: Edge<T>[];
  hasMore: boolean;
}

/** One page of a list that continues after the id of its last row. */
export interface IdPage<T> {
  data: T[];
  hasMore: boolean;
}

/** Request for at most `limit` rows after the row with an id; null for the first page. */
export interface IdPageRequest {
  limit: number;
  afterId: string | null;
}

/**
 * Builds a page.
 *
 * @param rows up to `limit + 1` rows; the extra one indicates that more follow
 * @param edge maps a row to its edge
 */
export function toPage<R, T>(rows: R[], limit: number, edge: (row: R) => Edge<T>): Page<T> {
  return { edges: rows.slice(0, limit).map(edge), hasMore: rows.length > limit };
}

/** As `toPage`, without cursors. */
export function toIdPage<R, T>(rows: R[], limit: number, convert: (row: R) => T): IdPage<T> {
  return { data: rows.slice(0, limit).map(convert), hasMore: rows.length > limit };
}
