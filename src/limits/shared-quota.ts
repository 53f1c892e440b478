import { LRUCache } from 'lru-cache';
import { type Connection, type Model, Schema } from 'mongoose';
import { rawCollection } from '../platform/mongo/raw-collection.ts';
import { STRICT } from '../platform/mongo/strict-schema.ts';

interface QuotaWindowDoc {
  _id: string;
  /** Points that processes have reserved in the window. */
  reserved: number;
  /** `reserved` before the latest reservation. */
  before: number;
  /** Time of the latest reservation, by the database's clock. */
  at: Date;
  /** End of the window, by the database's clock. */
  expiresAt: Date;
}

const quotaWindowSchema = new Schema<QuotaWindowDoc>(
  {
    _id: { type: String, required: true },
    reserved: { type: Number, required: true },
    before: { type: Number, required: true },
    at: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
  },
  { ...STRICT, collection: 'quotaWindows' },
);
quotaWindowSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const quotaWindowModel = (connection: Connection): Model<QuotaWindowDoc> =>
  connection.model<QuotaWindowDoc>('QuotaWindow', quotaWindowSchema);

/** Maximum number of requests per time window. */
export interface RateLimit {
  requests: number;
  windowMs: number;
}

/** Share of the limit that a process reserves at once and can leave unspent: 5 % of the limit for ten processes. */
const CHUNK_SHARE = 0.005;
/** Share of the remaining points that a process reserves at once, so that little is unspent when the limit is reached. */
const REMAINING_SHARE = 0.05;
/** Keys whose reserved points a process keeps; eviction forfeits them. */
const MAX_KEYS = 20_000;

/** State of a key's quota after points were taken or refused. */
export interface QuotaState {
  /** False if the quota does not suffice; nothing was taken. */
  granted: boolean;
  /** Points left, as of the latest reservation of this process. */
  remaining: number;
  /** Time until the window ends. */
  resetMs: number;
}

/** Limits the points of each key per window, over all processes of a database. */
export interface SharedQuota {
  limit: RateLimit;
  take(key: string, points: number): Promise<QuotaState>;
}

/** The part of a key's window that this process has reserved. */
interface Reservation {
  /** Points that this process may still hand out. */
  left: number;
  /** Points that no process has reserved. */
  unreserved: number;
  /** Milliseconds of `performance.now()`. */
  endsAt: number;
}

/**
 * Creates a quota with a window per key that begins with its first request, for what every request does: a process
 * reserves points in chunks and hands them out without a round trip. The sum of all reservations never exceeds the limit.
 * Windows follow the database's clock alone, so differences between the clocks of processes have no effect. Rare
 * operations use `rate-windows.ts`.
 */
export function createSharedQuota(QuotaWindow: Model<QuotaWindowDoc>, limit: RateLimit): SharedQuota {
  const { requests: max, windowMs } = limit;
  const collection = rawCollection(QuotaWindow);
  const reservations = new LRUCache<string, Reservation>({ max: MAX_KEYS });
  const pending = new Map<string, Promise<void>>();

  /**
   * Reserves at least `points`, or none if fewer are left, so that a refused operation takes none from other processes.
   * Points of an earlier reservation in the same window are kept.
   */
  async function reserve(key: string, points: number): Promise<void> {
    const window = await collection.findOneAndUpdate({ _id: key }, reservation({ max, windowMs, points }), {
      upsert: true,
      returnDocument: 'after',
      // Not journaled: after a failover, a window may grant again what was reserved a moment ago.
      writeConcern: { w: 1 },
    });
    if (!window) throw new Error('The database returned no quota window.');
    const { reserved, before, at, expiresAt } = window;
    reservations.set(key, {
      left: (currentReservation(key)?.left ?? 0) + reserved - before,
      unreserved: Math.max(0, max - reserved),
      endsAt: performance.now() + expiresAt.getTime() - at.getTime(),
    });
  }

  /** Concurrent callers share one reservation. */
  function replenish(key: string, points: number): Promise<void> {
    const running =
      pending.get(key) ??
      reserve(key, points).finally(() => {
        pending.delete(key);
      });
    pending.set(key, running);
    return running;
  }

  function currentReservation(key: string): Reservation | undefined {
    const reservation = reservations.get(key);
    return reservation && reservation.endsAt > performance.now() ? reservation : undefined;
  }

  return {
    limit,
    async take(key, points) {
      // An operation may cost more than the whole limit: it takes all of a window.
      const needed = Math.min(points, max);
      for (;;) {
        const current = currentReservation(key);
        const isGranted = current !== undefined && current.left >= needed;
        if (isGranted) current.left -= needed;
        // Within a window, no process returns points: what did not suffice once will not suffice later.
        else if (!current || current.left + current.unreserved >= needed) {
          await replenish(key, needed - (current?.left ?? 0));
          continue;
        }
        const { left, unreserved, endsAt } = current;
        return { granted: isGranted, remaining: left + unreserved, resetMs: endsAt - performance.now() };
      }
    },
  };
}

/** Returns the update that reserves points in the current window, or begins a window. */
function reservation({ max, windowMs, points }: { max: number; windowMs: number; points: number }) {
  const chunk = Math.max(1, Math.floor(max * CHUNK_SHARE));
  const isOpen = { $gt: ['$expiresAt', '$$NOW'] };
  const remaining = { $subtract: [max, '$before'] };
  const share = { $floor: { $multiply: [remaining, REMAINING_SHARE] } };
  const wanted = { $cond: [{ $lt: [remaining, points] }, 0, { $max: [points, { $min: [chunk, share] }] }] };
  return [
    {
      $set: {
        before: { $cond: [isOpen, '$reserved', 0] },
        at: '$$NOW',
        expiresAt: { $cond: [isOpen, '$expiresAt', { $add: ['$$NOW', windowMs] }] },
      },
    },
    { $set: { reserved: { $add: ['$before', wanted] } } },
  ];
}
