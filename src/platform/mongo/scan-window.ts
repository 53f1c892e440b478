import type { mongo } from 'mongoose';
import { READ_LIMIT } from './read-limits.ts';

export interface ScanOptions {
  /** Filter by the first fields of the index. */
  of: mongo.Document;
  /** Field that the index continues with. */
  by: string;
  hint: mongo.IndexSpecification;
  /** Position where the window begins, exclusive; null for the beginning. */
  after: unknown;
  /** Value that the field does not reach; absent for no bound. */
  below?: unknown;
  /** Number of documents that the window spans; more if the last ones have the same value. */
  size: number;
  /** Filter on the documents of the window. */
  match: mongo.Document;
  projection: mongo.Document;
}

/** The matching documents of a window. */
export interface ScannedWindow<D> {
  found: D[];
  /** Position of the next window; null after the last one. */
  next: unknown;
}

/** Documents of a window that match a filter, as a cursor: they can be many, or large. */
interface WindowCursor<D> {
  rows: mongo.FindCursor<D>;
  /** Position of the next window; null after the last one. */
  next: unknown;
}

/**
 * Finds the next window of an index, and opens a cursor on its documents that match a filter without an index. A search
 * of all documents of a tenant is a sequence of windows; each stays far below the limit of a read.
 */
export async function openWindow<D>(
  collection: mongo.Collection,
  { of, by, hint, after, below, size, match, projection }: ScanOptions,
): Promise<WindowCursor<D>> {
  const beyond = { ...(after !== null && { $gt: after }), ...(below !== undefined && { $lt: below }) };
  const within = (bounds: mongo.Document) =>
    Object.keys(bounds).length > 0 ? { ...of, [by]: bounds } : { ...of };
  const [last] = await collection
    .find(within(beyond), { projection: { [by]: 1 }, hint, ...READ_LIMIT })
    .sort({ [by]: 1 })
    .skip(size - 1)
    .limit(1)
    .toArray();
  const end = last?.[by] ?? null;
  const rows = collection.find(
    { $and: [within({ ...beyond, ...(end !== null && { $lte: end }) }), match] },
    { projection, hint, ...READ_LIMIT },
  );
  return { rows: rows as unknown as mongo.FindCursor<D>, next: end };
}

/** As `openWindow`, with all documents of the window. */
export async function scanWindow<D>(
  collection: mongo.Collection,
  options: ScanOptions,
): Promise<ScannedWindow<D>> {
  const { rows, next } = await openWindow<D>(collection, options);
  return { found: await rows.toArray(), next };
}

/** As `scanWindow`; returns the ids of the documents alone, as text. */
export async function scanIds(
  collection: mongo.Collection,
  options: Omit<ScanOptions, 'projection'>,
): Promise<{ ids: string[]; next: unknown }> {
  const { found, next } = await scanWindow<{ _id: unknown }>(collection, {
    ...options,
    projection: { _id: 1 },
  });
  return { ids: found.map(({ _id }) => String(_id)), next };
}
