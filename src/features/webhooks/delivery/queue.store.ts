import type { Model, mongo, Types } from 'mongoose';
import { hasCode } from '../../../errors/app-error.ts';
import { CipherError } from '../../../platform/cipher.ts';
import { type Insertion, insertion } from '../../../platform/commit/unit-of-work.ts';
import type { Lease } from '../../../platform/leases/lease.ts';
import { isDuplicateOnly } from '../../../platform/mongo/duplicate-key.ts';
import { BY_ID, byIds, type DocumentRef, ofTenants } from '../../../platform/mongo/ids-of-tenants.ts';
import { READ_LIMIT } from '../../../platform/mongo/read-limits.ts';
import { type Runtime, systemRuntime } from '../../../platform/runtime.ts';
import type { Traced } from '../../../platform/tracing/tracing.ts';
import { EVENT_NAMES } from '../../outbox/event-catalog.ts';
import { type EventTypeName, storedType } from '../../outbox/event-type.ts';
import type { OutboxEventStore } from '../../outbox/outbox-event.store.ts';
import type { FieldEncryption, UnreadableReason } from '../../privacy/field-encryption.ts';
import { withPersonalValues } from '../../privacy/personal-fields.ts';
import { BY_EVENT, DELIVERY_FIELDS, type DeliveryDoc, LIST_INDEXES, QUEUE_INDEX } from './delivery.model.ts';
import { DELIVERY_LEASE } from './lease.ts';
import {
  type LeasedUpdate,
  lateOperations,
  requestOf,
  returnedAt,
  toBulkOperations,
} from './leased-updates.ts';
import {
  CANCELLABLE,
  type ClaimOutcome,
  cancel,
  cancelUnclaimed,
  claim,
  type DeliveryStatus,
  type DueResend,
  HASTENABLE,
  hasten,
  LANES,
  type Lane,
  OPEN_STATUSES,
  type Place,
  WITH_CANCELLABLE_RESEND,
} from './state.ts';
import {
  cancelUpdate,
  claimUpdate,
  type DeliveryUpdate,
  hastenUpdate,
  resendUpdate,
  stateFilter,
} from './state-updates.ts';

interface Deps {
  Delivery: Model<DeliveryDoc>;
  events: Pick<OutboxEventStore, 'payloads'>;
  encryption: FieldEncryption;
  runtime?: Runtime;
}

/** An endpoint with a due delivery. */
export type DueEndpoint = Pick<DeliveryDoc, 'customerId' | 'endpointId'>;

/** Scheduled retries of an endpoint that a client selects; every condition that is given must match. */
export interface RetrySelection extends DueEndpoint {
  /** Range of the creation times, inclusive. */
  since?: Date | undefined;
  until?: Date | undefined;
  event?: EventTypeName | undefined;
  /** Error code of the last attempt. */
  error?: string | undefined;
  /** Retries that are due later than this. */
  dueAfter: Date;
}

/** An endpoint with a due delivery, and the due time of its oldest one. */
export interface DueBacklog extends DueEndpoint {
  oldestDueAt: Date;
}

/** A delivery as the cancellation of a backlog reads it. */
export type CancellableDelivery = Pick<DeliveryDoc, '_id' | 'customerId' | 'status' | 'dueAt'>;

const CANCELLABLE_FIELDS = { customerId: 1, status: 1, dueAt: 1 } as const;

interface CancellableOptions {
  /** Last id of the previous batch. */
  after: Types.ObjectId | null;
  /** Only deliveries that were accepted until then; null for all. */
  acceptedUntil: Date | null;
  limit: number;
  now: Date;
}

interface EndpointsDueOptions {
  lane: Place;
  now: Date;
  /** Endpoint before the first one to return; null to begin with the first one due. */
  after: number | null;
  limit: number;
}

/** Number of deliveries of one endpoint that a claim may take. */
interface Quota extends DueEndpoint {
  /** Slots of the endpoint that are acquired or reserved for the claim. */
  slots: number;
}

/** A due delivery as a claim reads it. */
export type Candidate = Omit<DeliveryDoc, 'attempts'>;

/** Candidates in the same state, and the update that claims them. */
interface ClaimGroup {
  candidates: Candidate[];
  claimed: ClaimOutcome;
  update: DeliveryUpdate;
}

/** A delivery of this process, with the body to send. */
export interface ClaimedDelivery extends Candidate, Traced {
  /** Null if the event is not stored, or if it is `unreadable`. */
  payload: string | null;
  /** Why the stored payload cannot be decrypted; absent unless that is so. */
  unreadable?: UnreadableReason;
  /** Expiry of its lease as `Runtime.monotonicMs`; absent while it is not leased. */
  heldUntilMs?: number;
  /** Due time before it was leased; absent while it is not leased. */
  wasDueAt?: Date;
  /** True if its attempt probes the endpoint, whose circuit is open. */
  isProbe?: boolean;
  /** True for a test event: its first two attempts do not wait for the circuit. */
  isTest?: boolean;
  /** True if its endpoint has admitted the attempt that its claim begins (`gate.ts`). */
  admitted?: boolean;
}

type DeliveryLookup = (eventId: Types.ObjectId, endpointId: number) => boolean;

/** Filter: the deliveries of these events. */
const ofEvents = (events: readonly DocumentRef[]) => ({
  ...ofTenants(events),
  eventId: { $in: events.map(({ _id }) => _id) },
});

/** Filter: the scheduled retries that a client selects. */
const retryFilter = ({ customerId, endpointId, since, until, event, error, dueAfter }: RetrySelection) => ({
  customerId,
  endpointId,
  ...stateFilter(HASTENABLE),
  ...(event === undefined ? { event: { $in: EVENT_NAMES } } : storedType(event)),
  dueAt: { $gt: dueAfter },
  ...((since || until) && { createdAt: { ...(since && { $gte: since }), ...(until && { $lte: until }) } }),
  ...(error !== undefined && { error }),
});

/** The deliveries collection as a queue: due deliveries are claimed with a lease and settled under it. */
export function queueStore({ Delivery, events, encryption, runtime = systemRuntime }: Deps) {
  const due = (lane: Place, now: Date) => ({ lane, ...DELIVERY_LEASE.expired(now) });

  const positions = claimPositions(runtime);

  /** Applies the claims in one round trip; returns the number of candidates that were claimed or failed. */
  async function applyClaims(groups: ClaimGroup[], now: Date): Promise<number> {
    const operations = groups.map(({ candidates, update }) => {
      const [{ status, lane, attempt, manual }] = candidates as [Candidate];
      const filter = {
        ...byIds(candidates),
        ...DELIVERY_LEASE.expired(now),
        status,
        // Another process may have held it since it was read: leased and held, nothing would make it due again.
        lane,
        attempt,
        manual: manual ?? { $exists: false },
      };
      return { updateMany: { filter, update, hint: BY_ID } };
    });
    const { matchedCount } = await Delivery.collection.bulkWrite(
      operations as mongo.AnyBulkWriteOperation[],
      { ordered: false },
    );
    return matchedCount;
  }

  /** Returns the updates as they are stored. */
  async function withStoredResponses(updates: readonly LeasedUpdate[]): Promise<readonly LeasedUpdate[]> {
    if (!encryption.isOn) return updates;
    const byTenant = Map.groupBy(updates, ({ customerId }) => customerId).values();
    const stored = await Promise.all(Array.from(byTenant, encryptedResponses));
    return stored.flat();
  }

  /**
   * Leaves the response bodies out if the tenant's key cannot be decrypted, since the results must not be lost with them,
   * and if the tenant was removed: the updates of other tenants are written together with these.
   */
  async function encryptedResponses(updates: LeasedUpdate[]): Promise<LeasedUpdate[]> {
    const attempts = updates.map(({ id: _id, customerId, update: { $push } }) => ({
      _id,
      customerId,
      attempts: $push?.attempts.$each ?? [],
    }));
    const stored = await encryption.encrypt(DELIVERY_FIELDS, attempts).catch((error: unknown) => {
      const isRemoved = hasCode(error, 'NOT_FOUND');
      if (!isRemoved && !(error instanceof CipherError)) throw error;
      return attempts.map((document) => withPersonalValues(DELIVERY_FIELDS, document, () => null));
    });
    return updates.map((leased, index) => {
      const { update } = leased;
      const [attempt] = stored[index]?.attempts ?? [];
      if (!update.$push || !attempt) return leased;
      return {
        ...leased,
        update: { ...update, $push: { attempts: { ...update.$push.attempts, $each: [attempt] } } },
      };
    });
  }

  /** Returns the bulk writes that apply the updates. */
  function writesOf(updates: LeasedUpdate[]): mongo.AnyBulkWriteOperation[][] {
    const { combined, single } = toBulkOperations(updates);
    return [combined, single].filter(
      (operations) => operations.length > 0,
    ) as mongo.AnyBulkWriteOperation[][];
  }

  /** Returns the ids of the candidates that are leased with the token of the lease. */
  async function heldIds(candidates: Candidate[], lease: Lease): Promise<Set<string>> {
    const rows = await Delivery.find(
      { ...byIds(candidates), ...DELIVERY_LEASE.heldBy(lease.token) },
      { _id: 1 },
    )
      .hint(BY_ID)
      .lean<Pick<DeliveryDoc, '_id'>[]>();
    return new Set(rows.map(({ _id }) => _id.toHexString()));
  }

  return {
    insertion: (delivery: DeliveryDoc): Insertion => insertion(Delivery, delivery),

    /**
     * Endpoints with a due delivery, by id. A skip scan of the queue's index: one key and one document per endpoint,
     * however many deliveries are due.
     */
    endpointsDue({ lane, now, after, limit }: EndpointsDueOptions): Promise<DueBacklog[]> {
      return Delivery.collection
        .aggregate<DueBacklog>(
          [
            { $match: { ...due(lane, now), endpointId: after === null ? { $gte: 0 } : { $gt: after } } },
            { $sort: { lane: 1, endpointId: 1, dueAt: 1 } },
            {
              $group: {
                _id: '$endpointId',
                customerId: { $first: '$customerId' },
                oldestDueAt: { $first: '$dueAt' },
              },
            },
            { $limit: limit },
            { $project: { _id: 0, endpointId: '$_id', customerId: 1, oldestDueAt: 1 } },
          ],
          { batchSize: limit + 1 },
        )
        .toArray();
    },

    /** The oldest due deliveries of each endpoint within its quota, not yet claimed. */
    async candidates(lane: Lane, quotas: Quota[], now: Date): Promise<Candidate[]> {
      const largest = Math.max(...quotas.map((quota) => quota.slots));
      const rows = await Delivery.db
        .getClient()
        .db(Delivery.db.name)
        .aggregate<{ endpointId: number; from: Date; found: Candidate[] }>(
          [
            {
              $documents: quotas.map(({ endpointId }) => ({
                endpointId,
                from: positions.get(lane, endpointId),
              })),
            },
            {
              $lookup: {
                from: Delivery.collection.collectionName,
                localField: 'endpointId',
                foreignField: 'endpointId',
                let: { from: '$from' },
                pipeline: [
                  { $match: { ...due(lane, now), $expr: { $gte: ['$dueAt', '$$from'] } } },
                  { $sort: { dueAt: 1 } },
                  { $limit: largest },
                  { $project: { attempts: 0 } },
                ],
                as: 'found',
              },
            },
          ],
          { batchSize: quotas.length + 1 },
        )
        .toArray();
      const slots = new Map(quotas.map((quota) => [quota.endpointId, quota.slots]));
      return rows.flatMap(({ endpointId, from, found }) => {
        const quota = slots.get(endpointId) ?? 0;
        const taken = found.slice(0, quota);
        const last = taken.at(-1)?.dueAt;
        if (last && taken.length === quota) positions.advance(lane, endpointId, { from, to: last });
        else positions.forget(lane, endpointId);
        return taken;
      });
    },

    /** Makes the next claim of an endpoint begin with its oldest due delivery. */
    rewind: positions.forget,

    /**
     * Claims the candidates that are still due and unchanged: one conditional write for those in the same state.
     * Returns the claimed deliveries; exhausted ones fail and are not among them.
     *
     * @param options.isProbe as in `ClaimedDelivery`
     */
    async claim(
      candidates: Candidate[],
      lease: Lease,
      { now, isProbe = false }: { now: Date; isProbe?: boolean },
    ): Promise<ClaimedDelivery[]> {
      const groups = claimGroups(candidates, lease, { now, isProbe });
      const [matched, payloads] = await Promise.all([applyClaims(groups, now), events.payloads(candidates)]);
      const held = matched === candidates.length ? null : await heldIds(candidates, lease);
      return groups.flatMap(({ candidates, claimed, update }) =>
        claimed.outcome === 'exhausted'
          ? []
          : candidates
              .filter(({ _id }) => held === null || held.has(_id.toHexString()))
              .map((delivery) => {
                const eventId = delivery.eventId.toHexString();
                const unreadable = payloads.unreadable.get(eventId);
                return {
                  ...delivery,
                  ...update.$set,
                  ...(isProbe && { isProbe }),
                  ...(unreadable && { unreadable }),
                  wasDueAt: delivery.dueAt,
                  payload: payloads.readable.get(eventId) ?? null,
                };
              }),
      );
    },

    /**
     * Applies updates in one round trip; an update whose lease is not held changes nothing. Returns the number that
     * took effect. Safe to repeat with the same updates: a result ends the lease of its attempt, by releasing it or by
     * a new token, and no token is used twice for a delivery.
     */
    async apply(updates: LeasedUpdate[]): Promise<number> {
      // A failover may undo the others: their attempts are repeated when the leases expire.
      const stored = await withStoredResponses(updates);
      const { durable = [], others = [] } = Object.groupBy(stored, (update) =>
        update.durable ? 'durable' : 'others',
      );
      const results = await Promise.all([
        ...writesOf(durable).map((operations) =>
          Delivery.collection.bulkWrite(operations, { ordered: false }),
        ),
        ...writesOf(others).map((operations) =>
          Delivery.collection.bulkWrite(operations, { ordered: false, writeConcern: { w: 1 } }),
        ),
      ]);
      for (const update of updates) {
        const dueAt = returnedAt(update);
        if (dueAt) positions.include(update.endpointId, dueAt);
      }
      return results.reduce((sum, { matchedCount }) => sum + matchedCount, 0);
    },

    /** Logs results of requests whose lease was lost; as `lateOperations`, safe to repeat. */
    async recordLate(results: readonly LeasedUpdate[]): Promise<void> {
      const operations = (await withStoredResponses(results)).flatMap(lateOperations);
      if (operations.length > 0)
        await Delivery.collection.bulkWrite(operations as mongo.AnyBulkWriteOperation[]);
    },

    /** Returns the successes that are not yet in the log of their delivery on a majority of the members. */
    async unconfirmed(successes: readonly LeasedUpdate[]): Promise<LeasedUpdate[]> {
      const deliveries = successes.map(({ id: _id, customerId }) => ({ _id, customerId }));
      const rows = await Delivery.collection
        .find<Pick<DeliveryDoc, '_id' | 'attempts'>>(byIds(deliveries), {
          projection: { 'attempts.request': 1 },
          hint: BY_ID,
          readConcern: { level: 'majority' },
          ...READ_LIMIT,
        })
        .toArray();
      const logged = new Map(
        rows.map(({ _id, attempts }) => [String(_id), attempts.map(({ request }) => request)]),
      );
      return successes.filter(
        (success) => !logged.get(success.id.toHexString())?.includes(requestOf(success)),
      );
    },

    /** Token of the lease of each delivery by id; undefined for an unleased one. */
    async holders(deliveries: readonly DocumentRef[]): Promise<Map<string, string | undefined>> {
      const rows = await Delivery.find(byIds(deliveries), { lease: 1 }).hint(BY_ID).lean<DeliveryDoc[]>();
      return new Map(rows.map(({ _id, lease }) => [_id.toHexString(), lease]));
    },

    /** Open deliveries of an endpoint that are not in flight, by id. */
    cancellable: (
      { customerId, endpointId }: DueEndpoint,
      { after, acceptedUntil, limit, now }: CancellableOptions,
    ) =>
      Delivery.find(
        {
          customerId,
          endpointId,
          ...stateFilter(CANCELLABLE, now),
          event: { $in: EVENT_NAMES },
          ...(after && { _id: { $gt: after } }),
          ...(acceptedUntil && { createdAt: { $lte: acceptedUntil } }),
        },
        CANCELLABLE_FIELDS,
      )
        .sort({ _id: 1 })
        .hint(LIST_INDEXES.byEndpointAndState)
        .limit(limit)
        .lean<CancellableDelivery[]>(),

    /** Terminal deliveries of an endpoint with a resend that is not in flight, by id. */
    cancellableResends: (
      { customerId, endpointId }: DueEndpoint,
      { after, limit, now }: Omit<CancellableOptions, 'acceptedUntil'>,
    ) =>
      Delivery.find(
        {
          ...{ customerId, lane: { $in: LANES }, endpointId, dueAt: { $exists: true } },
          ...stateFilter(WITH_CANCELLABLE_RESEND, now),
          ...(after && { _id: { $gt: after } }),
        },
        CANCELLABLE_FIELDS,
      )
        .sort({ _id: 1 })
        .hint(QUEUE_INDEX)
        .limit(limit)
        .lean<CancellableDelivery[]>(),

    /**
     * Cancels the deliveries that were neither claimed nor requeued since they were read; terminal ones keep their status,
     * and their resend is cancelled.
     */
    async cancelUnchanged(deliveries: readonly CancellableDelivery[], now: Date): Promise<number> {
      const isOpen = (status: DeliveryStatus) => OPEN_STATUSES.some((open) => open === status);
      const operations = deliveries.map(({ _id, customerId, status, dueAt }) => {
        const [pattern, cancelled] = isOpen(status)
          ? [CANCELLABLE, cancelUnclaimed()]
          : [WITH_CANCELLABLE_RESEND, cancel({ manual: { resumeAt: null } })];
        return {
          updateOne: {
            filter: { _id, customerId, dueAt, ...stateFilter(pattern, now) },
            update: cancelUpdate(cancelled, now),
            hint: BY_ID,
          },
        };
      });
      const { modifiedCount } = await Delivery.collection.bulkWrite(
        operations as mongo.AnyBulkWriteOperation[],
        { ordered: false },
      );
      return modifiedCount;
    },

    /** Number of selected retries. */
    countRetries: (selection: RetrySelection) =>
      Delivery.countDocuments(retryFilter(selection), { hint: LIST_INDEXES.byEndpointAndState }),

    /** The next selected retries, oldest delivery first. @param after last id of the previous batch */
    retries: (selection: RetrySelection, after: Types.ObjectId | null, limit: number) =>
      Delivery.find({ ...retryFilter(selection), ...(after && { _id: { $gt: after } }) }, { customerId: 1 })
        .sort({ _id: 1 })
        .hint(LIST_INDEXES.byEndpointAndState)
        .limit(limit)
        .lean<DocumentRef[]>(),

    /** Makes the retries due that are still scheduled for later; returns their number. */
    async hasten(deliveries: readonly DocumentRef[], now: Date): Promise<number> {
      const { modifiedCount } = await Delivery.updateMany(
        { ...byIds(deliveries), ...stateFilter(HASTENABLE), dueAt: { $gt: now } },
        hastenUpdate(hasten(), now) as mongo.UpdateFilter<DeliveryDoc>,
        { hint: BY_ID },
      );
      return modifiedCount;
    },

    /** Makes a resend due, if the delivery is still as `delivery`; null when it has changed. */
    requestResend: (delivery: DeliveryDoc, requested: DueResend, lease: Lease | null) =>
      Delivery.findOneAndUpdate(
        {
          _id: delivery._id,
          customerId: delivery.customerId,
          eventId: delivery.eventId,
          status: delivery.status,
          attempt: delivery.attempt,
          dueAt: delivery.dueAt ?? { $exists: false },
          lease: delivery.lease ?? { $exists: false },
          manual: { $exists: false },
        },
        resendUpdate(requested, lease) as mongo.UpdateFilter<DeliveryDoc>,
        { returnDocument: 'after' },
      ).lean<DeliveryDoc>(),

    /** Number of deliveries of an endpoint that are due, counted up to `limit`; not those in flight or due later. */
    countDue: ({ customerId, endpointId }: DueEndpoint, now: Date, limit: number) =>
      Delivery.countDocuments(
        { customerId, lane: { $in: LANES }, endpointId, ...DELIVERY_LEASE.expired(now) },
        { limit, hint: QUEUE_INDEX },
      ),

    /** Number of retries of an endpoint that are due later, counted up to `limit`. */
    countScheduled: ({ customerId, endpointId }: DueEndpoint, now: Date, limit: number) =>
      Delivery.countDocuments(
        {
          ...{ customerId, lane: { $in: LANES }, endpointId, dueAt: { $gt: now } },
          ...stateFilter(HASTENABLE),
        },
        { limit, hint: QUEUE_INDEX },
      ),

    /** Due time of the oldest due delivery of an endpoint; null if none is due. */
    oldestDueAt: async ({ customerId, endpointId }: DueEndpoint, now: Date): Promise<Date | null> => {
      const oldest = await Delivery.findOne(
        { customerId, lane: { $in: LANES }, endpointId, ...DELIVERY_LEASE.expired(now) },
        { dueAt: 1 },
      )
        .sort({ dueAt: 1 })
        .hint(QUEUE_INDEX)
        .lean<Pick<DeliveryDoc, 'dueAt'>>();
      return oldest?.dueAt ?? null;
    },

    /** Returns the ids of events with a delivery that is open or became terminal after `before`; for retention. */
    async eventsToKeep(events: readonly DocumentRef[], before: Date): Promise<Set<string>> {
      const kept = await Delivery.collection
        .find(
          {
            ...ofEvents(events),
            $or: [
              { dueAt: { $exists: true } },
              { status: { $in: OPEN_STATUSES } },
              { finishedAt: { $gte: before } },
            ],
          },
          { projection: { eventId: 1 }, hint: BY_EVENT, ...READ_LIMIT },
        )
        .toArray();
      return new Set(kept.map(({ eventId }) => String(eventId)));
    },

    /** Removes a delivery that this process leases. */
    async removeLeased({ _id, customerId, lease }: ClaimedDelivery): Promise<void> {
      await Delivery.deleteOne({ _id, customerId, ...DELIVERY_LEASE.heldBy(lease ?? '') });
    },

    /** Returns a predicate: true if one of the events has a delivery to an endpoint. Reads index keys alone. */
    async deliveryLookup(events: readonly DocumentRef[]): Promise<DeliveryLookup> {
      const rows = await Delivery.find(ofEvents(events), { _id: 0, eventId: 1, endpointId: 1 })
        .hint(BY_EVENT)
        .lean<Pick<DeliveryDoc, 'eventId' | 'endpointId'>[]>();
      const keyOf = (eventId: Types.ObjectId, endpointId: number) => `${eventId.toHexString()} ${endpointId}`;
      const existing = new Set(rows.map(({ eventId, endpointId }) => keyOf(eventId, endpointId)));
      return (eventId, endpointId) => existing.has(keyOf(eventId, endpointId));
    },

    /** Inserts deliveries, except those that exist. */
    async insertMissing(deliveries: DeliveryDoc[]): Promise<void> {
      await Delivery.collection
        .insertMany(deliveries as never[], { ordered: false })
        .catch((error: unknown) => {
          if (!isDuplicateOnly(error)) throw error;
        });
    },

    removeOfEvents: (events: readonly DocumentRef[]) =>
      Delivery.collection.deleteMany(ofEvents(events), { hint: BY_EVENT }),
  };
}

export type QueueStore = ReturnType<typeof queueStore>;

/** Groups candidates whose claim is the same update under the same condition. */
function claimGroups(
  candidates: Candidate[],
  lease: Lease,
  { now, isProbe }: { now: Date; isProbe: boolean },
): ClaimGroup[] {
  const alike = Map.groupBy(
    candidates,
    ({ status, lane, attempt, error, manual }) =>
      `${status} ${lane} ${attempt} ${error === null} ${manual && String(manual.resumeAt?.getTime())}`,
  );
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { attempt, error, manual = null } = first;
    const claimed = claim({ attempt, manual, isProbe });
    return [
      { candidates: group, claimed, update: claimUpdate(claimed, { hasError: error !== null, now, lease }) },
    ];
  });
}

/** Time after which a claim begins with the oldest due delivery again. */
const POSITIONS_KEPT_MS = 1_000;

const BEGINNING = new Date(0);

/**
 * Due times at which the claims of endpoints continue. The database keeps the index keys of claimed deliveries for
 * minutes, as snapshots may read them, so a claim that began with the oldest would read past all of them. A position is
 * kept for a second only: then deliveries that became due with an earlier time are found.
 */
function claimPositions({ monotonicMs }: Pick<Runtime, 'monotonicMs'>) {
  const positions: Record<Lane, Map<number, Date>> = { inline: new Map(), scheduled: new Map() };
  let clearedAt = monotonicMs();

  return {
    get(lane: Lane, endpointId: number): Date {
      if (monotonicMs() - clearedAt > POSITIONS_KEPT_MS) {
        positions.inline.clear();
        positions.scheduled.clear();
        clearedAt = monotonicMs();
      }
      return positions[lane].get(endpointId) ?? BEGINNING;
    },

    /**
     * Moves a position on, unless a delivery has returned to the queue before it meanwhile.
     *
     * @param range due times at which the read began, and of the last delivery that it found
     */
    advance(lane: Lane, endpointId: number, { from, to }: { from: Date; to: Date }): void {
      if ((positions[lane].get(endpointId) ?? from) >= from) positions[lane].set(endpointId, to);
    },

    /** Lets the next claim begin no later than with a delivery that has returned to the queue. */
    include(endpointId: number, dueAt: Date): void {
      for (const ofLane of Object.values(positions))
        if ((ofLane.get(endpointId) ?? BEGINNING) > dueAt) ofLane.set(endpointId, dueAt);
    },

    /** Called when no further delivery is due. */
    forget: (lane: Lane, endpointId: number) => positions[lane].delete(endpointId),
  };
}
