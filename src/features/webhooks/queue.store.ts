import type { Model, mongo, Types } from 'mongoose';
import { firstObjectIdOf } from '../../platform/mongo/object-id.ts';
import type { Traced } from '../../platform/tracing/tracing.ts';
import { byKind, type LeasedChange } from './leased-changes.ts';
import type { DeliveryDoc, EventDoc, Lane, RecoveryDoc } from './webhooks.model.ts';

interface Models {
  Delivery: Model<DeliveryDoc>;
  Event: Model<EventDoc>;
  Recovery: Model<RecoveryDoc>;
}

/** How much of one endpoint's queue a claim may take. */
export interface Quota {
  endpointId: number;
  /** Free slots of the endpoint in this process. */
  slots: number;
}

/** A delivery that this process has the lease of, with the body to send. */
export type ClaimedDelivery = Omit<DeliveryDoc, 'attempts'> & { payload: string | null } & Traced;

const WAITING = ['pending', 'retrying'] as const;
/** The deliveries collection as a queue: due documents are claimed with a lease and finished under it. */
export function queueStore({ Delivery, Event, Recovery }: Models) {
  const due = (lane: Lane, now: Date) => ({ lane, dueAt: { $lte: now } });

  return {
    /** Endpoints for which something is due. Skips from key to key: costs two keys an endpoint, not one a delivery. */
    endpointsDue: async (lane: Lane, now: Date): Promise<number[]> =>
      Delivery.distinct('endpointId', { ...due(lane, now), endpointId: { $gte: 0 } }),

    /** Oldest due deliveries of each endpoint, up to its quota: candidates, not yet claimed. */
    async candidates(lane: Lane, quotas: Quota[], now: Date): Promise<Types.ObjectId[]> {
      const most = Math.max(...quotas.map((quota) => quota.slots));
      const rows = await Delivery.db
        .getClient()
        .db(Delivery.db.name)
        .aggregate<{ endpointId: number; found: { _id: Types.ObjectId }[] }>([
          { $documents: quotas.map(({ endpointId }) => ({ endpointId })) },
          {
            $lookup: {
              from: Delivery.collection.collectionName,
              localField: 'endpointId',
              foreignField: 'endpointId',
              pipeline: [
                { $match: due(lane, now) },
                { $sort: { dueAt: 1 } },
                { $limit: most },
                { $project: { _id: 1 } },
              ],
              as: 'found',
            },
          },
        ])
        .toArray();
      const slots = new Map(quotas.map((quota) => [quota.endpointId, quota.slots]));
      return rows.flatMap((row) => row.found.slice(0, slots.get(row.endpointId) ?? 0).map(({ _id }) => _id));
    },

    /**
     * Takes what is still due of the candidates: one conditional write that begins the next attempt of each
     * (a manual one is outside the count), leases it to the token, and moves `dueAt` to the lease's end.
     * A delivery that has begun five attempts is failed instead: its process died in the fifth.
     */
    async claim(ids: Types.ObjectId[], token: string, now: Date, leaseEnd: Date): Promise<ClaimedDelivery[]> {
      const scheduled = { $eq: [{ $type: '$manual' }, 'missing'] };
      const exhausted = { $and: [scheduled, { $gte: ['$attempt', 5] }] };
      await Delivery.updateMany(
        { _id: { $in: ids }, dueAt: { $lte: now } },
        [
          {
            $set: {
              status: {
                $cond: [
                  exhausted,
                  'failed',
                  { $cond: [{ $and: [scheduled, { $gte: ['$attempt', 1] }] }, 'retrying', '$status'] },
                ],
              },
              error: { $cond: [exhausted, { $ifNull: ['$error', 'interrupted'] }, '$error'] },
              finishedAt: { $cond: [exhausted, now, '$finishedAt'] },
              nextRetryAt: {
                $cond: [
                  exhausted,
                  null,
                  { $cond: [{ $and: [scheduled, { $gte: ['$attempt', 1] }] }, leaseEnd, '$nextRetryAt'] },
                ],
              },
              attempt: {
                $cond: [
                  { $and: [scheduled, { $lt: ['$attempt', 5] }] },
                  { $add: ['$attempt', 1] },
                  '$attempt',
                ],
              },
              dueAt: { $cond: [exhausted, '$$REMOVE', leaseEnd] },
              lease: { $cond: [exhausted, '$$REMOVE', token] },
            },
          },
        ],
        { updatePipeline: true },
      );
      const claimed = await Delivery.find({ _id: { $in: ids }, lease: token }, { attempts: 0 }).lean<
        DeliveryDoc[]
      >();
      const events = await Event.find(
        { _id: { $in: claimed.map(({ eventId }) => eventId) } },
        { payload: 1 },
      ).lean<EventDoc[]>();
      const payloads = new Map(events.map((event) => [event._id.toHexString(), event.payload]));
      return claimed.map((delivery) => ({
        ...delivery,
        payload: payloads.get(delivery.eventId.toHexString()) ?? null,
      }));
    },

    /**
     * Makes changes in a round trip; those whose lease is gone change nothing. Gives how many took hold.
     * It may be called again with the same changes: one that took hold and gave up its lease is not made twice.
     */
    async apply(changes: LeasedChange[]): Promise<number> {
      const { alike, others } = byKind(changes);
      // Not waiting for the majority: what a failover takes back is made again when its lease runs out.
      const matched = await Promise.all(
        [alike, others]
          .filter((operations) => operations.length > 0)
          .map((operations) =>
            Delivery.collection.bulkWrite(operations as mongo.AnyBulkWriteOperation[], {
              ordered: false,
              writeConcern: { w: 1 },
            }),
          ),
      );
      return matched.reduce((sum, { matchedCount }) => sum + matchedCount, 0);
    },

    /** Who has the lease of each of these, by id. */
    async holders(ids: Types.ObjectId[]): Promise<Map<string, string | undefined>> {
      const rows = await Delivery.find({ _id: { $in: ids } }, { lease: 1 }).lean<DeliveryDoc[]>();
      return new Map(rows.map(({ _id, lease }) => [_id.toHexString(), lease]));
    },

    /** Cancels what waits for an endpoint. What is under way sees for itself that the endpoint is gone. */
    async cancelWaiting(endpointId: number, now: Date): Promise<number> {
      const { modifiedCount } = await Delivery.updateMany(
        { endpointId, status: { $in: WAITING }, lease: { $exists: false } },
        {
          $set: { status: 'cancelled', nextRetryAt: null, finishedAt: now },
          $unset: { dueAt: '', manual: '' },
        },
      );
      return modifiedCount;
    },

    /** Asks for one more attempt at once; null while one is under way. With a token it is leased in the same write. */
    requestManual: (
      customerId: number,
      id: Types.ObjectId,
      now: Date,
      lease: { token: string; end: Date } | null,
    ) =>
      Delivery.findOneAndUpdate(
        { _id: id, customerId, manual: { $exists: false }, lease: { $exists: false } },
        [
          {
            $set: {
              manual: { resumeAt: { $ifNull: ['$dueAt', null] } },
              lane: 'inline',
              dueAt: lease ? lease.end : now,
              ...(lease ? { lease: lease.token } : {}),
            },
          },
        ],
        { returnDocument: 'after', updatePipeline: true },
      ).lean<DeliveryDoc>(),

    /** What waits of an endpoint: bounds how fast a recovery is fed. */
    countWaiting: (endpointId: number, most: number) =>
      Delivery.countDocuments({ endpointId, status: { $in: WAITING } }, { limit: most }),

    countRecoverable: (endpointId: number, since: Date, until: Date) =>
      Delivery.countDocuments(recoverable(endpointId, since, until)),

    /** Puts the next batch of a recovery back to the start; gives the last id looked at, or null at the end. */
    async recoverBatch(recovery: RecoveryDoc, limit: number, now: Date): Promise<Types.ObjectId | null> {
      const filter = recoverable(recovery.endpointId, recovery.since, recovery.until);
      const rows = await Delivery.find(
        { $and: [filter, recovery.position ? { _id: { $gt: recovery.position } } : {}] },
        { _id: 1 },
      )
        .sort({ _id: 1 })
        .limit(limit)
        .lean<DeliveryDoc[]>();
      const last = rows.at(-1);
      if (!last) return null;
      await Delivery.updateMany(
        {
          _id: { $in: rows.map(({ _id }) => _id) },
          status: { $in: ['failed', 'cancelled'] },
          lease: { $exists: false },
        },
        {
          $set: { status: 'pending', attempt: 0, nextRetryAt: null, lane: 'scheduled', dueAt: now },
          $unset: { finishedAt: '', manual: '' },
        },
      );
      return last._id;
    },

    /** False while another recovery of the endpoint runs. */
    startRecovery: async (recovery: RecoveryDoc): Promise<boolean> => {
      const { upsertedCount } = await Recovery.updateOne(
        { endpointId: recovery.endpointId },
        { $setOnInsert: recovery },
        { upsert: true },
      );
      return upsertedCount === 1;
    },
    recoveries: () => Recovery.find().lean<RecoveryDoc[]>(),
    advanceRecovery: (id: Types.ObjectId, position: Types.ObjectId) =>
      Recovery.updateOne({ _id: id }, { $set: { position } }),
    endRecovery: (id: Types.ObjectId) => Recovery.deleteOne({ _id: id }),
    endRecoveriesOf: (endpointId: number) => Recovery.deleteMany({ endpointId }),

    /** The next events of all tenants that are older than `before`, oldest first, for retention. */
    eventsBefore: (before: Date, after: Types.ObjectId | null, limit: number) =>
      Event.find({ _id: { ...(after ? { $gt: after } : {}), $lt: firstObjectIdOf(before) } }, { _id: 1 })
        .sort({ _id: 1 })
        .limit(limit)
        .lean<EventDoc[]>(),

    /** Removes those of the events of which no delivery waits or has finished since `before`. */
    async removeEvents(ids: Types.ObjectId[], before: Date): Promise<number> {
      const kept = await Delivery.distinct('eventId', {
        eventId: { $in: ids },
        $or: [{ dueAt: { $exists: true } }, { status: { $in: WAITING } }, { finishedAt: { $gte: before } }],
      });
      const keep = new Set(kept.map(String));
      const gone = ids.filter((id) => !keep.has(id.toHexString()));
      if (gone.length === 0) return 0;
      await Delivery.deleteMany({ eventId: { $in: gone } });
      return (await Event.deleteMany({ _id: { $in: gone } })).deletedCount;
    },
  };
}

export type QueueStore = ReturnType<typeof queueStore>;

const recoverable = (endpointId: number, since: Date, until: Date) => ({
  endpointId,
  status: { $in: ['failed', 'cancelled'] as const },
  createdAt: { $gte: since, $lte: until },
  _id: { $gte: firstObjectIdOf(since) },
});
