import { type Connection, type Model, Schema, type Types } from 'mongoose';
import { STRICT } from '../../../platform/mongo/strict-schema.ts';

/** A feature whose drift raises no alert. */
export interface FeatureMuteDoc {
  _id: Types.ObjectId;
  model: string;
  /** Null for all samples and every stage. */
  stage: string | null;
  feature: string;
  note: string | null;
  /** Null until it is removed. */
  until: Date | null;
  createdAt: Date;
}

const schema = new Schema<FeatureMuteDoc>(
  {
    model: { type: String, required: true },
    stage: { type: String, default: null },
    feature: { type: String, required: true },
    note: { type: String, default: null },
    until: { type: Date, default: null },
    createdAt: { type: Date, required: true },
  },
  { ...STRICT, collection: 'driftMutes' },
);
schema.index({ model: 1, stage: 1, feature: 1 }, { unique: true });
// Null is no date: a mute without an end does not expire.
schema.index({ until: 1 }, { expireAfterSeconds: 0 });

export const featureMuteModel = (connection: Connection): Model<FeatureMuteDoc> =>
  connection.model<FeatureMuteDoc>('DriftMute', schema);
