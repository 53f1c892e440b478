import type { ClientSession, Model, mongo, Types } from 'mongoose';
import { BY_ID, byIds, type DocumentRef } from '../../../../platform/mongo/ids-of-tenants.ts';
import { firstObjectIdOf } from '../../../../platform/mongo/object-id.ts';
import type { TenantRef } from '../../../../platform/tenant-ref.ts';
import { EVENT_NAMES } from '../../../outbox/event-catalog.ts';
import { BY_EVENT, type DeliveryDoc, LIST_INDEXES } from '../delivery.model.ts';
import { OPEN_STATUSES, RECOVERABLE, recover, type StatePattern } from '../state.ts';
import { requeueUpdate, stateFilter } from '../state-updates.ts';
import type { RecoveryDoc, Selection } from './recovery.model.ts';

interface SelectedOptions {
  /**
   * Time of the request: deliveries that ended later were still attempted then, or were sent again already. What is
   * exhausted later during an outage is recovered as well.
   */
  asOf: Date;
  /** As in `stateFilter`: a crash leaves the lease of a resend. */
  now: Date;
  position?: Types.ObjectId | null;
}

interface Models {
  Recovery: Model<RecoveryDoc>;
  Delivery: Model<DeliveryDoc>;
}

/** Recoveries of one delivery after outages: a delivery that a healthy receiver refuses must not be sent for ever. */
const MAX_OUTAGE_RECOVERIES = 10;

/** Returns the states of the deliveries that a selection sends again. */
const patternOf = ({ statuses, outage }: Selection): StatePattern =>
  statuses ? { statuses, leased: false, ...(outage && { attempt: outage.attempt }) } : RECOVERABLE;

/** Returns the filter of a selection, and the index that reads the fewest of the other deliveries. */
function selected(selection: Selection, { asOf, now, position = null }: SelectedOptions) {
  const { customerId, endpointId, since, until, deliveryIds, eventIds, outage } = selection;
  const filter = {
    customerId,
    endpointId,
    ...stateFilter(patternOf(selection), now),
    event: { $in: EVENT_NAMES },
    createdAt: { $gte: since, $lte: until },
    _id: {
      ...(position ? { $gt: position } : { $gte: firstObjectIdOf(since) }),
      ...(deliveryIds && { $in: deliveryIds }),
    },
    ...(eventIds && { eventId: { $in: eventIds } }),
    ...(outage
      ? {
          finishedAt: { $gte: outage.finishedSince },
          endedByReceiver: { $ne: true },
          outageRecoveries: { $not: { $gte: MAX_OUTAGE_RECOVERIES } },
        }
      : { finishedAt: { $not: { $gt: asOf } } }),
  };
  const hint = deliveryIds ? BY_ID : eventIds ? BY_EVENT : LIST_INDEXES.byEndpointAndState;
  return { filter, hint };
}

/** Recoveries and replays in progress, and the deliveries that they send again. */
export function recoveryStore({ Recovery, Delivery }: Models) {
  return {
    /** Number of selected deliveries of a request that is made now. */
    count(selection: Selection, now: Date) {
      const { filter, hint } = selected(selection, { asOf: now, now });
      return Delivery.countDocuments(filter, { hint });
    },

    /** Returns whether the selection of a request that is made now has any delivery. */
    hasAny: async (selection: Selection, now: Date): Promise<boolean> => {
      const { filter, hint } = selected(selection, { asOf: now, now });
      return (await Delivery.exists(filter).hint(hint)) !== null;
    },

    /** Number of deliveries of the time range that are still attempted. */
    countOpen({ customerId, endpointId, since, until }: Selection) {
      const filter = {
        customerId,
        endpointId,
        status: { $in: OPEN_STATUSES },
        event: { $in: EVENT_NAMES },
        createdAt: { $gte: since, $lte: until },
        _id: { $gte: firstObjectIdOf(since) },
      };
      return Delivery.countDocuments(filter, { hint: LIST_INDEXES.byEndpointAndState });
    },

    /** The next deliveries of a recovery, oldest first. */
    next(recovery: RecoveryDoc, { limit, now }: { limit: number; now: Date }) {
      const { createdAt: asOf, position } = recovery;
      const { filter, hint } = selected(recovery, { asOf, now, position });
      return Delivery.find(filter, { customerId: 1 })
        .sort({ _id: 1 })
        .hint(hint)
        .limit(limit)
        .lean<DocumentRef[]>();
    },

    /**
     * Requeues the deliveries of a batch that the recovery still selects, and moves it on, in one transaction. Returns false
     * without a change if the recovery has ended, or another process has moved it on.
     */
    requeue(recovery: RecoveryDoc, deliveries: readonly DocumentRef[], now: Date): Promise<boolean> {
      const { _id, position, outage, createdAt: asOf } = recovery;
      const { filter } = selected(recovery, { asOf, now });
      const update = { ...requeueUpdate(recover(), now), ...(outage && { $inc: { outageRecoveries: 1 } }) };
      const work = async (session: ClientSession): Promise<boolean> => {
        const moved = { $set: { position: deliveries.at(-1)?._id } };
        const { matchedCount } = await Recovery.updateOne({ _id, position }, moved, { session });
        if (matchedCount === 0) return false;
        await Delivery.updateMany(
          { ...filter, ...byIds(deliveries) },
          update as mongo.UpdateFilter<DeliveryDoc>,
          { hint: BY_ID, session },
        );
        return true;
      };
      return Recovery.db.withSession((session) => session.withTransaction(() => work(session)));
    },

    /** Returns false while another recovery of the endpoint is in progress. */
    insert: async (recovery: RecoveryDoc): Promise<boolean> => {
      const { upsertedCount } = await Recovery.updateOne(
        { endpointId: recovery.endpointId },
        { $setOnInsert: recovery },
        { upsert: true },
      );
      return upsertedCount === 1;
    },
    /** Returns whether a recovery or replay of the endpoint is in progress. */
    isInProgress: async ({ customerId }: TenantRef, endpointId: number): Promise<boolean> =>
      (await Recovery.exists({ customerId, endpointId })) !== null,
    /** Recoveries of all tenants. */
    all: () => Recovery.find().lean<RecoveryDoc[]>(),
    /** Ends a recovery. */
    remove: (id: Types.ObjectId) => Recovery.deleteOne({ _id: id }),
    /** Ends the recovery or replay of an endpoint: no further batch is requeued once this resolves. */
    removeOfEndpoint: ({ customerId }: TenantRef, endpointId: number) =>
      Recovery.deleteMany({ customerId, endpointId }),
  };
}

export type RecoveryStore = ReturnType<typeof recoveryStore>;
