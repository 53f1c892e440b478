import type { Types } from 'mongoose';

/** Milliseconds from the year 0 to 1970: what happened before 1970 has its place in the lists, too. */
const BEFORE_1970_MS = -Date.parse('0000-01-01T00:00:00Z');

/** What the order of everything at or after a time is not below. */
export const timeOrder = (at: Date): string =>
  Math.max(0, at.getTime() + BEFORE_1970_MS)
    .toString(16)
    .padStart(13, '0');

/** A time and an id as one text that sorts as the two do, so that one index range is exactly one page. */
export const orderOf = (at: Date, id: Types.ObjectId): string => timeOrder(at) + id.toHexString();

/** Whether a cursor's position can be an order. */
export const isOrder = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9a-f]{37}$/.test(value);
