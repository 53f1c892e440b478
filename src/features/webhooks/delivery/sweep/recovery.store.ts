import type { Model, Types } from 'mongoose';
import type { DocumentRef } from '../../../../platform/mongo/ids-of-tenants.ts';
import { firstObjectIdOf } from '../../../../platform/mongo/object-id.ts';
import { EVENT_NAMES } from '../../../outbox/event-catalog.ts';
import { type DeliveryDoc, LIST_INDEXES } from '../delivery.model.ts';
import { RECOVERABLE } from '../state.ts';
import { stateFilter } from '../state-updates.ts';
import type { RecoveryDoc } from './recovery.model.ts';

interface Models {
  Recovery: Model<RecoveryDoc>;
  Delivery: Model<DeliveryDoc>;
}

/** Range of deliveries by creation time. */
type Range = Pick<RecoveryDoc, 'customerId' | 'endpointId' | 'since' | 'until'>;

const recoverable = (
  { customerId, endpointId, since, until }: Range,
  position: Types.ObjectId | null = null,
) => ({
  customerId,
  endpointId,
  ...stateFilter(RECOVERABLE),
  event: { $in: EVENT_NAMES },
  createdAt: { $gte: since, $lte: until },
  _id: position ? { $gt: position } : { $gte: firstObjectIdOf(since) },
});

export function recoveryStore({ Recovery, Delivery }: Models) {
  const hint = LIST_INDEXES.byEndpointAndState;

  return {
    countRecoverable: (range: Range) => Delivery.countDocuments(recoverable(range), { hint }),

    /** The next deliveries of a recovery, oldest first. */
    next: (recovery: RecoveryDoc, limit: number) =>
      Delivery.find(recoverable(recovery, recovery.position), { customerId: 1 })
        .sort({ _id: 1 })
        .hint(hint)
        .limit(limit)
        .lean<DocumentRef[]>(),

    /** Returns false while another recovery of the endpoint is in progress. */
    insert: async (recovery: RecoveryDoc): Promise<boolean> => {
      const { upsertedCount } = await Recovery.updateOne(
        { endpointId: recovery.endpointId },
        { $setOnInsert: recovery },
        { upsert: true },
      );
      return upsertedCount === 1;
    },
    /** Recoveries of all tenants. */
    all: () => Recovery.find().lean<RecoveryDoc[]>(),
    advance: (id: Types.ObjectId, position: Types.ObjectId) =>
      Recovery.updateOne({ _id: id }, { $set: { position } }),
    remove: (id: Types.ObjectId) => Recovery.deleteOne({ _id: id }),
    removeOf: (endpointId: number) => Recovery.deleteMany({ endpointId }),
  };
}

export type RecoveryStore = ReturnType<typeof recoveryStore>;
