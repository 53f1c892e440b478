import { type Connection, type Model, Schema, type Types } from 'mongoose';
import { STRICT } from '../../../platform/mongo/strict-schema.ts';
import type { CHANGE_TYPES } from '../drift.types.ts';

/** A change that operators expect to move scores: an annotation of charts, without an effect on alerts. */
export interface PlannedChangeDoc {
  _id: Types.ObjectId;
  model: string;
  /** Null for all samples and every stage. */
  stage: string | null;
  type: (typeof CHANGE_TYPES)[number];
  title: string;
  note: string | null;
  startsAt: Date;
  /** Equal to `startsAt` if the change happens at one moment. */
  endsAt: Date;
  createdAt: Date;
}

const schema = new Schema<PlannedChangeDoc>(
  {
    model: { type: String, required: true },
    stage: { type: String, default: null },
    type: { type: String, required: true },
    title: { type: String, required: true },
    note: { type: String, default: null },
    startsAt: { type: Date, required: true },
    endsAt: { type: Date, required: true },
    createdAt: { type: Date, required: true },
  },
  { ...STRICT, collection: 'driftPlannedChanges' },
);
schema.index({ model: 1, startsAt: -1, _id: -1 });

export const plannedChangeModel = (connection: Connection): Model<PlannedChangeDoc> =>
  connection.model<PlannedChangeDoc>('DriftPlannedChange', schema);
