import type { Model, mongo } from 'mongoose';
import type { DeliveryDoc } from './delivery.model.ts';
import type { Lane } from './state.ts';

/** Queue depth of one lane, over all tenants. */
export interface LaneSize {
  lane: Lane;
  /** Deliveries that are due. */
  due: number;
  /** Deliveries that are due later, or in flight. */
  scheduled: number;
  /** Due time of the oldest due delivery; null if none is due. */
  oldestDueAt: Date | null;
}

/** Upper bound of a count: reading so many index keys takes the database 60 ms. */
const MAX_COUNT = 100_000;
/** Time limit of a query. Milliseconds. */
const MAX_TIME_MS = 2_000;

/**
 * Queue depth for metrics. Read from the keys of the partial queue index alone, so the cost does not depend on the
 * number of deliveries kept.
 */
export function queueSizeStore({ Delivery }: { Delivery: Model<DeliveryDoc> }) {
  const queued = (lane: Lane, dueAt: mongo.Condition<Date>) => ({ lane, endpointId: { $gte: 0 }, dueAt });
  const aggregateOne = async <T extends object>(pipeline: object[]): Promise<T | undefined> => {
    const [row] = await Delivery.collection.aggregate<T>(pipeline, { maxTimeMS: MAX_TIME_MS }).toArray();
    return row;
  };

  const count = async (lane: Lane, dueAt: mongo.Condition<Date>): Promise<number> => {
    const counted = await aggregateOne<{ count: number }>([
      { $match: queued(lane, dueAt) },
      { $limit: MAX_COUNT },
      { $count: 'count' },
    ]);
    return counted?.count ?? 0;
  };

  /** A skip scan: one key for each endpoint with a due delivery. */
  const oldest = async (lane: Lane, now: Date): Promise<Date | null> => {
    const found = await aggregateOne<{ dueAt: Date }>([
      { $match: queued(lane, { $lte: now }) },
      { $sort: { lane: 1, endpointId: 1, dueAt: 1 } },
      { $group: { _id: '$endpointId', dueAt: { $first: '$dueAt' } } },
      { $group: { _id: null, dueAt: { $min: '$dueAt' } } },
    ]);
    return found?.dueAt ?? null;
  };

  return {
    /** Rejects when the time limit is exceeded. */
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
