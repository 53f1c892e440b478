import type { Edge, Page } from '../page.ts';

/**
 * Makes a page of `limit + 1` rows read: the one too many only tells that there is more.
 *
 * @param rows rows as stored, in the list's order
 * @param limit rows asked for
 * @param edge what becomes of a row
 */
export function toPage<R, T>(rows: R[], limit: number, edge: (row: R) => Edge<T>): Page<T> {
  return { edges: rows.slice(0, limit).map(edge), hasMore: rows.length > limit };
}
