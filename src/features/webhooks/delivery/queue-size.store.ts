import type { Model, mongo } from 'mongoose';
import type { DeliveryDoc } from './delivery.model.ts';
import { type ClosedGate, GATE_REASONS, type GateReason } from './gate.ts';
import type { Lane, Place } from './state.ts';

/** Queue depth of one lane, over all tenants. */
export interface LaneSize {
  lane: Lane;
  /** Deliveries that are due and may be attempted. */
  due: number;
  /** Deliveries that are due and wait at the closed gate of their endpoint, by its reason. */
  waiting: Record<GateReason, number>;
  /** Deliveries that are due later, or in flight. */
  scheduled: number;
  /** Due time of the oldest of the first ones; null if there is none. */
  oldestDueAt: Date | null;
}

/** Upper bound of a count: reading so many index keys takes the database 60 ms. */
const MAX_COUNT = 100_000;
/** Endpoints whose oldest due delivery is read. */
const MAX_ENDPOINTS = 10_000;
/** Time limit of a query. Milliseconds. */
const MAX_TIME_MS = 2_000;

/**
 * Queue depth for metrics. Read from the keys of the partial queue index alone, so the cost does not depend on the
 * number of deliveries kept.
 */
export function queueSizeStore(
  { Delivery }: { Delivery: Model<DeliveryDoc> },
  closedGates: (endpointIds: readonly number[]) => Promise<Map<number, ClosedGate>>,
) {
  const ANY_ENDPOINT = { $gte: 0 };
  const queued = (lane: Place, dueAt: mongo.Condition<Date>, endpointId: object = ANY_ENDPOINT) => ({
    lane,
    endpointId,
    dueAt,
  });
  const aggregate = <T extends object>(pipeline: object[]): Promise<T[]> =>
    Delivery.collection.aggregate<T>(pipeline, { maxTimeMS: MAX_TIME_MS }).toArray();

  const count = async (...range: Parameters<typeof queued>): Promise<number> => {
    const [counted] = await aggregate<{ count: number }>([
      { $match: queued(...range) },
      { $limit: MAX_COUNT },
      { $count: 'count' },
    ]);
    return counted?.count ?? 0;
  };

  /** A skip scan: one key for each endpoint with a due delivery. */
  const endpointsDue = (lane: Lane, now: Date): Promise<{ _id: number; oldestDueAt: Date }[]> =>
    aggregate([
      { $match: queued(lane, { $lte: now }) },
      { $sort: { lane: 1, endpointId: 1, dueAt: 1 } },
      { $group: { _id: '$endpointId', oldestDueAt: { $first: '$dueAt' } } },
      { $limit: MAX_ENDPOINTS },
    ]);

  return {
    /** Number of deliveries that wait for earlier ones of their conversations. */
    held: (now: Date): Promise<number> => count('held', { $lte: now }),

    /** Rejects when the time limit is exceeded. */
    async lane(lane: Lane, now: Date): Promise<LaneSize> {
      const [scheduled, endpoints] = await Promise.all([count(lane, { $gt: now }), endpointsDue(lane, now)]);
      const gates = await closedGates(endpoints.map(({ _id }) => _id));
      // Counted apart from what waits, since each count has a bound of its own.
      const due = await count(lane, { $lte: now }, { ...ANY_ENDPOINT, $nin: [...gates.keys()] });
      const atGate = (reason: GateReason | undefined) =>
        endpoints.filter(({ _id }) => gates.get(_id)?.reason === reason);
      const counts = await Promise.all(
        GATE_REASONS.map(async (reason) => {
          const ids = atGate(reason).map(({ _id }) => _id);
          return [reason, ids.length === 0 ? 0 : await count(lane, { $lte: now }, { $in: ids })] as const;
        }),
      );
      const waiting = Object.fromEntries(counts) as Record<GateReason, number>;
      const oldestMs = Math.min(...atGate(undefined).map(({ oldestDueAt }) => oldestDueAt.getTime()));
      return { lane, due, scheduled, waiting, oldestDueAt: oldestMs < Infinity ? new Date(oldestMs) : null };
    },
  };
}
