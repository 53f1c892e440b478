import type { Model, mongo } from 'mongoose';
import type { DeliveryDoc, Lane } from './webhooks.model.ts';

/** What waits in one lane, of all tenants. */
export interface LaneSize {
  lane: Lane;
  /** Deliveries that could go now. */
  due: number;
  /** Deliveries that are for later, or under way. */
  scheduled: number;
  /** When the oldest due one became due; null: none is. */
  oldestDueAt: Date | null;
}

/** Deliveries that are counted at most: reading so many keys takes the database 60 ms. */
const MOST = 100_000;
/** What the database may take: nobody waits longer for a number. Milliseconds. */
const MAX_MS = 2_000;

/**
 * How long the queue is, for the operator. Everything is read from the keys of the index that holds only what waits,
 * so it costs the same however many deliveries are kept.
 */
export function queueSizeStore({ Delivery }: { Delivery: Model<DeliveryDoc> }) {
  const waiting = (lane: Lane, dueAt: mongo.Condition<Date>) => ({ lane, endpointId: { $gte: 0 }, dueAt });
  const ask = async <T extends object>(pipeline: object[]): Promise<T | undefined> => {
    const [row] = await Delivery.collection.aggregate<T>(pipeline, { maxTimeMS: MAX_MS }).toArray();
    return row;
  };

  const count = async (lane: Lane, dueAt: mongo.Condition<Date>): Promise<number> => {
    const counted = await ask<{ count: number }>([
      { $match: waiting(lane, dueAt) },
      { $limit: MOST },
      { $count: 'count' },
    ]);
    return counted?.count ?? 0;
  };

  /** Skips from endpoint to endpoint: a key for each that has something due. */
  const oldest = async (lane: Lane, now: Date): Promise<Date | null> => {
    const found = await ask<{ dueAt: Date }>([
      { $match: waiting(lane, { $lte: now }) },
      { $sort: { lane: 1, endpointId: 1, dueAt: 1 } },
      { $group: { _id: '$endpointId', dueAt: { $first: '$dueAt' } } },
      { $group: { _id: null, dueAt: { $min: '$dueAt' } } },
    ]);
    return found?.dueAt ?? null;
  };

  return {
    /** Of one lane. Rejects when it would take too long. */
    async lane(lane: Lane, now: Date): Promise<LaneSize> {
      const [due, scheduled, oldestDueAt] = await Promise.all([
        count(lane, { $lte: now }),
        count(lane, { $gt: now }),
        oldest(lane, now),
      ]);
      return { lane, due, scheduled, oldestDueAt };
    },
  };
}
