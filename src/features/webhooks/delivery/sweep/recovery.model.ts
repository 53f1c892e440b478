import { type Connection, type Model, Schema, type Types } from 'mongoose';
import { STRICT } from '../../../../platform/mongo/strict-schema.ts';
import type { DeliveryStatus } from '../state.ts';

/** Deliveries of an endpoint that are to be sent again. */
export interface Selection {
  customerId: number;
  endpointId: number;
  /** Start of the creation times. */
  since: Date;
  /** End of the creation times, inclusive. */
  until: Date;
  /** Absent for those that a recovery sends again. */
  statuses?: DeliveryStatus[];
  /** Only these deliveries; absent for all. */
  deliveryIds?: Types.ObjectId[];
  /** Only deliveries whose attempts were exhausted during an outage; absent for all. */
  outage?: { finishedSince: Date; attempt: number };
  /** Only deliveries of these events; absent for all. */
  eventIds?: Types.ObjectId[];
}

/** A recovery or replay in progress; at most one per endpoint (contract 5, `recover` and `replay`). */
export interface RecoveryDoc extends Selection {
  _id: Types.ObjectId;
  /** Id of the last delivery that was looked at; null at the start. */
  position: Types.ObjectId | null;
  createdAt: Date;
}

const recoverySchema = new Schema<RecoveryDoc>(
  {
    customerId: { type: Number, required: true },
    endpointId: { type: Number, required: true },
    since: { type: Date, required: true },
    until: { type: Date, required: true },
    statuses: { type: [String], default: undefined },
    deliveryIds: { type: [Schema.Types.ObjectId], default: undefined },
    outage: { type: Schema.Types.Mixed },
    eventIds: { type: [Schema.Types.ObjectId], default: undefined },
    position: { type: Schema.Types.ObjectId, default: null },
    createdAt: { type: Date, required: true },
  },
  { ...STRICT, collection: 'webhookRecoveries' },
);
recoverySchema.index({ endpointId: 1 }, { unique: true });

export const recoveryModel = (connection: Connection): Model<RecoveryDoc> =>
  connection.model<RecoveryDoc>('WebhookRecovery', recoverySchema);
