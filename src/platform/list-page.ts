import type { CursorCodec } from './cursor.ts';

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

/** A list with cursors: how its rows are read, and what clients see of them. */
interface PagedList<R, P extends string | number, T> {
  cursor: CursorCodec<P>;
  /** Reads rows in the order of the list. @param after position of the previous page's last row; null for the first page */
  read(after: P | null, limit: number): Promise<R[]>;
  positionOf(row: R): P;
  toNode(row: R): T;
}

/** Reads a page of a list, and one row more to know whether more follow. */
export async function readPage<R, P extends string | number, T>(
  { limit, after }: PageRequest,
  { cursor, read, positionOf, toNode }: PagedList<R, P, T>,
): Promise<Page<T>> {
  const rows = await read(after === null ? null : cursor.decode(after), limit + 1);
  return toPage(rows, limit, (row) => ({ cursor: cursor.encode(positionOf(row)), node: toNode(row) }));
}

/** As `toPage`, without cursors. */
export function toIdPage<R, T>(rows: R[], limit: number, convert: (row: R) => T): IdPage<T> {
  return { data: rows.slice(0, limit).map(convert), hasMore: rows.length > limit };
}
