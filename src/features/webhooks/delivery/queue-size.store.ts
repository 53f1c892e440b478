import type { Model, mongo } from 'mongoose';
import type { DeliveryDoc } from './delivery.model.ts';
import { type ClosedGate, WAIT_REASONS, type WaitReason } from './gate.ts';
import { LONGEST_LEASE_MS } from './lease.ts';
import { LANES, type Lane, PLACES, type Place } from './state.ts';

/** Queue depth of one lane, over all tenants. */
interface LaneSize {
  lane: Lane;
  /** Deliveries that are due and may be attempted. */
  due: number;
  /** Deliveries that are due later, or in flight. */
  scheduled: number;
  /** Due time of the oldest of the first ones; null if there is none. */
  oldestDueAt: Date | null;
}

/** Due deliveries of one endpoint. */
export interface QueuedBacklog {
  endpointId: number;
  /** Counted up to 10,000. */
  waiting: number;
  oldestDueAt: Date;
  /** What they wait for: `slot` if attempts to the endpoint are in flight; null if the service is late. */
  reason: WaitReason | null;
  /** Time at which the gate opens, or of the next probe; null if that is unknown, or the reason is no gate. */
  until: Date | null;
  /** Attempts in flight. */
  inFlight: number;
}

export interface QueueSize {
  lanes: LaneSize[];
  /** Deliveries that are due and wait for their endpoint, by reason. */
  waiting: Record<WaitReason, number>;
  /** Endpoints whose oldest due delivery is 10 s late, those with the most deliveries first. */
  backlogs: QueuedBacklog[];
}

/** An endpoint with due deliveries in a lane, or held ones. */
interface DueEndpoint {
  _id: number;
  oldestDueAt: Date;
}

/** Upper bound of a count: reading so many index keys takes the database 60 ms. */
const MAX_COUNT = 100_000;
/** Endpoints whose oldest due delivery is read. */
const MAX_ENDPOINTS = 10_000;
/** Endpoints whose backlog is counted: those that wait longest. */
const MAX_BACKLOGS = 100;
/** Upper bound of the count of a backlog. */
const MAX_BACKLOG = 10_000;
/** Age of the oldest due delivery from which an endpoint has a backlog. Milliseconds. */
const BACKLOG_AFTER_MS = 10_000;
/** Time limit of a query. Milliseconds. */
const MAX_TIME_MS = 2_000;

/**
 * Queue depth for metrics and operators. Read from the keys of the partial queue index alone, except for the deliveries in
 * flight, so the cost does not depend on the number of deliveries kept.
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
  const endpointsDue = (place: Place, now: Date): Promise<DueEndpoint[]> =>
    aggregate([
      { $match: queued(place, { $lte: now }) },
      { $sort: { lane: 1, endpointId: 1, dueAt: 1 } },
      { $group: { _id: '$endpointId', oldestDueAt: { $first: '$dueAt' } } },
      { $limit: MAX_ENDPOINTS },
    ]);

  /**
   * Number of attempts in flight, by endpoint. A delivery in flight is due when its lease expires, which a process that has
   * ended does not renew: after that its endpoint has none. Retries that are due later than any lease are not read.
   */
  async function inFlight(endpointIds: readonly number[], now: Date): Promise<Map<number, number>> {
    if (endpointIds.length === 0) return new Map();
    const rows = await aggregate<{ _id: number; count: number }>([
      {
        $match: {
          lane: { $in: LANES },
          endpointId: { $in: endpointIds },
          dueAt: { $gt: now, $lte: new Date(now.getTime() + LONGEST_LEASE_MS) },
          lease: { $exists: true },
        },
      },
      { $group: { _id: '$endpointId', count: { $sum: 1 } } },
    ]);
    return new Map(rows.map(({ _id, count }) => [_id, count]));
  }

  /** Number of due deliveries, held ones included, by endpoint. */
  async function countBacklogs(endpointIds: readonly number[], now: Date): Promise<Map<number, number>> {
    if (endpointIds.length === 0) return new Map();
    const rows = await Delivery.db
      .getClient()
      .db(Delivery.db.name)
      .aggregate<{ endpointId: number; found: { count: number }[] }>(
        [
          { $documents: endpointIds.map((endpointId) => ({ endpointId })) },
          {
            $lookup: {
              from: Delivery.collection.collectionName,
              localField: 'endpointId',
              foreignField: 'endpointId',
              pipeline: [
                { $match: { lane: { $in: PLACES }, dueAt: { $lte: now } } },
                { $limit: MAX_BACKLOG },
                { $count: 'count' },
              ],
              as: 'found',
            },
          },
        ],
        { maxTimeMS: MAX_TIME_MS },
      )
      .toArray();
    return new Map(rows.map(({ endpointId, found }) => [endpointId, found[0]?.count ?? 0]));
  }

  return {
    /** Rejects when the time limit is exceeded. */
    async read(now: Date): Promise<QueueSize> {
      const [held, ...due] = await Promise.all([
        endpointsDue('held', now),
        ...LANES.map((lane) => endpointsDue(lane, now)),
      ]);
      const isLate = ({ oldestDueAt }: DueEndpoint) =>
        now.getTime() - oldestDueAt.getTime() >= BACKLOG_AFTER_MS;
      const gates = await closedGates([...new Set([...due.flat(), ...held].map(({ _id }) => _id))]);
      const late = due.flat().filter((each) => isLate(each) && !gates.has(each._id));
      const busy = await inFlight([...new Set(late.map(({ _id }) => _id))], now);

      const inLanes = new Set(due.flat().map(({ _id }) => _id));
      const reasonOf = (endpointId: number): WaitReason | null => {
        if (!inLanes.has(endpointId)) return 'order';
        return gates.get(endpointId)?.reason ?? (busy.has(endpointId) ? 'slot' : null);
      };

      async function laneSize(lane: Lane, endpoints: readonly DueEndpoint[]) {
        const byReason = Map.groupBy(endpoints, ({ _id }) => reasonOf(_id));
        const ids = [...gates.keys(), ...busy.keys()];
        const [scheduled, mayStart, ...waiting] = await Promise.all([
          count(lane, { $gt: now }),
          // Counted apart from what waits, since each count has a bound of its own.
          count(lane, { $lte: now }, { ...ANY_ENDPOINT, $nin: ids }),
          ...WAIT_REASONS.map((reason) => {
            const at = byReason.get(reason) ?? [];
            return at.length === 0 ? 0 : count(lane, { $lte: now }, { $in: at.map(({ _id }) => _id) });
          }),
        ]);
        const free = byReason.get(null) ?? [];
        const oldestMs = Math.min(...free.map(({ oldestDueAt }) => oldestDueAt.getTime()));
        return {
          size: {
            ...{ lane, due: mayStart, scheduled },
            oldestDueAt: oldestMs < Infinity ? new Date(oldestMs) : null,
          },
          waiting,
        };
      }

      /** Returns the endpoints with a backlog, each with its oldest due delivery, those that wait longest first. */
      function longestWaiting(): DueEndpoint[] {
        const all = [...due.flat(), ...held].filter(isLate);
        all.sort((one, other) => one.oldestDueAt.getTime() - other.oldestDueAt.getTime());
        const seen = new Set<number>();
        return all.filter(({ _id }) => !seen.has(_id) && seen.add(_id)).slice(0, MAX_BACKLOGS);
      }

      const longest = longestWaiting();
      const [heldCount, counts, ...sizes] = await Promise.all([
        held.length === 0 ? 0 : count('held', { $lte: now }),
        countBacklogs(
          longest.map(({ _id }) => _id),
          now,
        ),
        ...LANES.map((lane, index) => laneSize(lane, due[index] ?? [])),
      ]);
      const waiting = WAIT_REASONS.map((reason, index) => {
        const inLane = sizes.reduce((sum, size) => sum + (size.waiting[index] ?? 0), 0);
        return [reason, reason === 'order' ? heldCount : inLane] as const;
      });
      const backlogs = longest.map(({ _id: endpointId, oldestDueAt }) => ({
        endpointId,
        oldestDueAt,
        waiting: counts.get(endpointId) ?? 0,
        reason: reasonOf(endpointId),
        until: gates.get(endpointId)?.until ?? null,
        inFlight: busy.get(endpointId) ?? 0,
      }));
      return {
        lanes: sizes.map(({ size }) => size),
        waiting: Object.fromEntries(waiting) as Record<WaitReason, number>,
        backlogs: backlogs.toSorted((one, other) => other.waiting - one.waiting),
      };
    },
  };
}

export type QueueSizeStore = ReturnType<typeof queueSizeStore>;
