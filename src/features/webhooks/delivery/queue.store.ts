import type { Model, mongo, Types } from 'mongoose';
import { isDuplicateOnly } from '../../../platform/mongo/duplicate-key.ts';
import type { Lease } from '../../../platform/mongo/lease.ts';
import { type Insertion, insertion } from '../../../platform/mongo/unit-write.ts';
import type { Traced } from '../../../platform/tracing/tracing.ts';
import type { OutboxEventStore } from '../../outbox/outbox-event.store.ts';
import type { DeliveryDoc } from './delivery.model.ts';
import { DELIVERY_LEASE } from './delivery-lease.ts';
import {
  CANCELLABLE,
  cancelUnclaimed,
  claim,
  type DueResend,
  type Lane,
  OPEN_STATUSES,
  RECOVERABLE,
  RESENDABLE,
  recover,
} from './delivery-state.ts';
import {
  cancelUpdate,
  claimUpdate,
  type ResendOptions,
  requeueUpdate,
  resendUpdate,
  stateFilter,
} from './delivery-updates.ts';
import { type LeasedUpdate, toBulkOperations } from './leased-updates.ts';

interface Deps {
  Delivery: Model<DeliveryDoc>;
  events: Pick<OutboxEventStore, 'payloads'>;
}

/** An endpoint with a due delivery. */
export type DueEndpoint = Pick<DeliveryDoc, 'customerId' | 'endpointId'>;

interface EndpointsDueOptions {
  lane: Lane;
  now: Date;
  /** Endpoint before the first one to return; null to begin with the first one due. */
  after: number | null;
  limit: number;
}

/** Number of deliveries of one endpoint that a claim may take. */
export interface Quota extends DueEndpoint {
  /** Slots of the endpoint that are reserved for the claim. */
  slots: number;
}

/** Fields of a due delivery that a claim reads. */
export type Candidate = Pick<DeliveryDoc, '_id' | 'endpointId' | 'status' | 'attempt' | 'error' | 'manual'>;

/** A delivery leased by this process, with the body to send; the payload is null if the event was removed. */
export type ClaimedDelivery = Omit<DeliveryDoc, 'attempts'> & { payload: string | null } & Traced;

/** The deliveries collection as a queue: due deliveries are claimed with a lease and settled under it. */
export function queueStore({ Delivery, events }: Deps) {
  const due = (lane: Lane, now: Date) => ({ lane, ...DELIVERY_LEASE.expired(now) });

  return {
    insertion: (delivery: DeliveryDoc): Insertion => insertion(Delivery, delivery),

    /**
     * Endpoints with a due delivery, by id. A skip scan of the queue's index: one key and one document per endpoint,
     * however many deliveries are due.
     */
    endpointsDue({ lane, now, after, limit }: EndpointsDueOptions): Promise<DueEndpoint[]> {
      return Delivery.collection
        .aggregate<DueEndpoint>([
          { $match: { ...due(lane, now), endpointId: after === null ? { $gte: 0 } : { $gt: after } } },
          { $sort: { lane: 1, endpointId: 1, dueAt: 1 } },
          { $group: { _id: '$endpointId', customerId: { $first: '$customerId' } } },
          { $limit: limit },
          { $project: { _id: 0, endpointId: '$_id', customerId: 1 } },
        ])
        .toArray();
    },

    /** The oldest due deliveries of each endpoint within its quota, not yet claimed. */
    async candidates(lane: Lane, quotas: Quota[], now: Date): Promise<Candidate[]> {
      const largest = Math.max(...quotas.map((quota) => quota.slots));
      const rows = await Delivery.db
        .getClient()
        .db(Delivery.db.name)
        .aggregate<{ endpointId: number; found: Candidate[] }>([
          { $documents: quotas.map(({ endpointId }) => ({ endpointId })) },
          {
            $lookup: {
              from: Delivery.collection.collectionName,
              localField: 'endpointId',
              foreignField: 'endpointId',
              pipeline: [
                { $match: due(lane, now) },
                { $sort: { dueAt: 1 } },
                { $limit: largest },
                { $project: { endpointId: 1, status: 1, attempt: 1, error: 1, manual: 1 } },
              ],
              as: 'found',
            },
          },
        ])
        .toArray();
      const slots = new Map(quotas.map((quota) => [quota.endpointId, quota.slots]));
      return rows.flatMap((row) => row.found.slice(0, slots.get(row.endpointId) ?? 0));
    },

    /**
     * Claims the candidates that are still due and unchanged: one conditional write for those in the same state.
     * Returns the claimed deliveries; exhausted ones fail and are not among them.
     */
    async claim(candidates: Candidate[], lease: Lease, now: Date): Promise<ClaimedDelivery[]> {
      const alike = Map.groupBy(
        candidates,
        ({ status, attempt, error, manual }) =>
          `${status} ${attempt} ${error === null} ${manual !== undefined}`,
      );
      const operations = [...alike.values()].flatMap(([first, ...others]) => {
        if (!first) return [];
        const { status, attempt, error, manual } = first;
        const claimed = claim({ attempt, manual: manual ?? null });
        const update = claimUpdate(claimed, { hasError: error !== null, now, lease });
        const filter = {
          _id: { $in: [first, ...others].map(({ _id }) => _id) },
          ...DELIVERY_LEASE.expired(now),
          status,
          attempt,
          manual: { $exists: manual !== undefined },
        };
        return [{ updateMany: { filter, update } }];
      });
      await Delivery.collection.bulkWrite(operations as mongo.AnyBulkWriteOperation[], { ordered: false });
      const claimed = await Delivery.find(
        { _id: { $in: candidates.map(({ _id }) => _id) }, ...DELIVERY_LEASE.heldBy(lease.token) },
        { attempts: 0 },
      ).lean<DeliveryDoc[]>();
      const payloads = await events.payloads(claimed.map(({ eventId }) => eventId));
      return claimed.map((delivery) => ({
        ...delivery,
        payload: payloads.get(delivery.eventId.toHexString()) ?? null,
      }));
    },

    /**
     * Applies updates in one round trip; an update whose lease is not held changes nothing. Returns the number that
     * took effect. Safe to repeat with the same updates: one that released its lease is not applied twice.
     */
    async apply(updates: LeasedUpdate[]): Promise<number> {
      const { combined, single } = toBulkOperations(updates);
      // Not majority: if a failover rolls back a result, the attempt is repeated when the lease expires.
      const results = await Promise.all(
        [combined, single]
          .filter((operations) => operations.length > 0)
          .map((operations) =>
            Delivery.collection.bulkWrite(operations as mongo.AnyBulkWriteOperation[], {
              ordered: false,
              writeConcern: { w: 1 },
            }),
          ),
      );
      return results.reduce((sum, { matchedCount }) => sum + matchedCount, 0);
    },

    /** Token of the lease of each delivery by id; undefined for an unleased one. */
    async holders(ids: Types.ObjectId[]): Promise<Map<string, string | undefined>> {
      const rows = await Delivery.find({ _id: { $in: ids } }, { lease: 1 }).lean<DeliveryDoc[]>();
      return new Map(rows.map(({ _id, lease }) => [_id.toHexString(), lease]));
    },

    /** Cancels the deliveries of an endpoint that are due and not in flight; the dispatcher cancels the others. */
    async cancelDue(endpointId: number, now: Date): Promise<number> {
      const { modifiedCount } = await Delivery.updateMany(
        { endpointId, ...stateFilter(CANCELLABLE) },
        cancelUpdate(cancelUnclaimed(), now) as mongo.UpdateFilter<DeliveryDoc>,
      );
      return modifiedCount;
    },

    /** Makes a resend due, if the delivery is still as `delivery`; null when it has changed. */
    requestResend: (delivery: DeliveryDoc, requested: DueResend, options: ResendOptions) =>
      Delivery.findOneAndUpdate(
        {
          _id: delivery._id,
          customerId: delivery.customerId,
          status: delivery.status,
          attempt: delivery.attempt,
          dueAt: delivery.dueAt ?? { $exists: false },
          ...stateFilter(RESENDABLE),
        },
        resendUpdate(requested, options) as mongo.UpdateFilter<DeliveryDoc>,
        { returnDocument: 'after' },
      ).lean<DeliveryDoc>(),

    /** Number of open deliveries of an endpoint, counted up to `limit`. */
    countOpen: (endpointId: number, limit: number) =>
      Delivery.countDocuments({ endpointId, status: { $in: OPEN_STATUSES } }, { limit }),

    /** Requeues the deliveries that can be recovered. */
    requeue: (ids: Types.ObjectId[], now: Date) =>
      Delivery.updateMany(
        { _id: { $in: ids }, ...stateFilter(RECOVERABLE) },
        requeueUpdate(recover(), now) as mongo.UpdateFilter<DeliveryDoc>,
      ),

    /** Those of the events with a delivery that is open, or was terminal only after `before`; for retention. */
    async eventsToKeep(ids: Types.ObjectId[], before: Date): Promise<Set<string>> {
      const kept = await Delivery.distinct('eventId', {
        eventId: { $in: ids },
        $or: [
          { dueAt: { $exists: true } },
          { status: { $in: OPEN_STATUSES } },
          { finishedAt: { $gte: before } },
        ],
      });
      return new Set(kept.map(String));
    },

    /** Removes a delivery that this process leases. */
    async removeLeased({ _id, customerId, lease }: ClaimedDelivery): Promise<void> {
      await Delivery.deleteOne({ _id, customerId, ...DELIVERY_LEASE.heldBy(lease ?? '') });
    },

    /** The pairs of event and endpoint that have a delivery. Reads index keys alone. */
    async deliveredPairs(eventIds: Types.ObjectId[]): Promise<Set<string>> {
      const rows = await Delivery.find(
        { eventId: { $in: eventIds } },
        { _id: 0, eventId: 1, endpointId: 1 },
      ).lean<Pick<DeliveryDoc, 'eventId' | 'endpointId'>[]>();
      return new Set(rows.map(({ eventId, endpointId }) => `${eventId.toHexString()} ${endpointId}`));
    },

    /** Inserts deliveries, except those that exist. */
    async insertMissing(deliveries: DeliveryDoc[]): Promise<void> {
      await Delivery.collection
        .insertMany(deliveries as never[], { ordered: false })
        .catch((error: unknown) => {
          if (!isDuplicateOnly(error)) throw error;
        });
    },

    removeOfEvents: (eventIds: Types.ObjectId[]) => Delivery.deleteMany({ eventId: { $in: eventIds } }),
  };
}

export type QueueStore = ReturnType<typeof queueStore>;
