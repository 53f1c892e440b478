import { type Connection, type Model, Schema, type Types } from 'mongoose';

/** A recovery in progress; at most one per endpoint (contract 5, `recover`). */
export interface RecoveryDoc {
  _id: Types.ObjectId;
  customerId: number;
  endpointId: number;
  since: Date;
  until: Date;
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
    position: { type: Schema.Types.ObjectId, default: null },
    createdAt: { type: Date, required: true },
  },
  { strict: 'throw', strictQuery: 'throw', versionKey: false, collection: 'webhookRecoveries' },
);
recoverySchema.index({ endpointId: 1 }, { unique: true });

export const recoveryModel = (connection: Connection): Model<RecoveryDoc> =>
  connection.model<RecoveryDoc>('WebhookRecovery', recoverySchema);
