import { Types } from 'mongoose';

/** Milliseconds from the year 0 to 1970, so that times before 1970 can be ordered too. */
const BEFORE_1970_MS = -Date.parse('0000-01-01T00:00:00Z');

/** Hexadecimal digits of a time. */
const TIME_DIGITS = 13;

/** Returns the lower bound of the orders at or after a time. */
export const timeOrder = (at: Date): string =>
  Math.max(0, at.getTime() + BEFORE_1970_MS)
    .toString(16)
    .padStart(TIME_DIGITS, '0');

/** Encodes a time and an id as one string that sorts by both, so that a page is one index range. */
export const orderOf = (at: Date, id: Types.ObjectId): string => timeOrder(at) + id.toHexString();

/** Merges lists by descending order. A row that several of them have is returned once. */
export function mergedByOrder<R extends { order: string }>(lists: readonly R[][], limit: number): R[] {
  const byOrder = new Map(lists.flat().map((row) => [row.order, row]));
  return [...byOrder.values()].sort((a, b) => (a.order < b.order ? 1 : -1)).slice(0, limit);
}

/** Returns the id in an order of `orderOf`. */
export const idOfOrder = (order: string): Types.ObjectId => new Types.ObjectId(order.slice(TIME_DIGITS));

/** Returns true if a cursor's position has the format of an order. */
export const isOrder = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9a-f]{37}$/.test(value);
