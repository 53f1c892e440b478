import { Types } from 'mongoose';
import { firstObjectIdOf } from './object-id.ts';

/** A range of the times at which documents were created. */
export interface CreationTimes {
  /** At or after. */
  since?: Date | undefined;
  /** Before. */
  until?: Date | undefined;
}

interface Options {
  /** Upper bound of the ids, exclusive; null for none. */
  before: string | null;
  /** Longest time between the time in an id and `createdAt`. Milliseconds; default 0. */
  maxDelayMs?: number;
}

/** Ids contain whole seconds: the largest difference from the exact time. */
const MAX_FRACTION_MS = 999;

/**
 * Returns the filter of documents that were created in a range: by id, as indexes are ordered, and additionally by
 * `createdAt` at its ends.
 */
export function createdIn({ since, until }: CreationTimes, { before, maxDelayMs = 0 }: Options) {
  const upper = [
    ...(until ? [firstObjectIdOf(new Date(until.getTime() + MAX_FRACTION_MS)).toHexString()] : []),
    ...(before === null ? [] : [before]),
  ].sort()[0];
  return {
    ...((since || upper) && {
      _id: {
        ...(since && { $gte: firstObjectIdOf(new Date(since.getTime() - maxDelayMs)) }),
        ...(upper && { $lt: new Types.ObjectId(upper) }),
      },
    }),
    ...((since || until) && { createdAt: { ...(since && { $gte: since }), ...(until && { $lt: until }) } }),
  };
}
