import { type Connection, type Model, Schema, type Types } from 'mongoose';
import type { OperationalEventName } from '../../outbox/event-catalog.ts';
import type { SubjectState } from './drift-alert.types.ts';

/** Alert states of the subjects that one check covers. */
export interface AlertStateDoc {
  /** `overall`, or `stage:` and the name of the stage. */
  _id: string;
  /** Incremented by every check, which guards against concurrent ones. */
  revision: number;
  /** Time at which the latest check was recorded. */
  checkedAt: Date;
  subjects: SubjectState[];
}

/** An alert that is not published to all customers yet. */
export interface AlertDoc {
  _id: Types.ObjectId;
  event: OperationalEventName;
  stage: string | null;
  feature: string | null;
  score: number;
  threshold: number;
  checkedAt: Date;
  /** Revision of the state before the change: alerts of one scope are published in this order. */
  revision: number;
  /** The customers up to this one have the event. */
  publishedUpTo: number;
}

const strict = { strict: 'throw', strictQuery: 'throw', versionKey: false } as const;

/** Time after which the state of a stage that is no longer checked is forgotten. */
const UNCHECKED_TTL_SECONDS = 90 * 24 * 60 * 60;

const stateSchema = new Schema<AlertStateDoc>(
  {
    _id: { type: String, required: true },
    revision: { type: Number, required: true },
    checkedAt: { type: Date, required: true },
    subjects: { type: Schema.Types.Mixed, required: true },
  },
  { ...strict, collection: 'driftAlertStates' },
);
stateSchema.index({ checkedAt: 1 }, { expireAfterSeconds: UNCHECKED_TTL_SECONDS });

export const alertStateModel = (connection: Connection): Model<AlertStateDoc> =>
  connection.model<AlertStateDoc>('DriftAlertState', stateSchema);

const alertSchema = new Schema<AlertDoc>(
  {
    event: { type: String, required: true },
    stage: { type: String, default: null },
    feature: { type: String, default: null },
    score: { type: Number, required: true },
    threshold: { type: Number, required: true },
    checkedAt: { type: Date, required: true },
    revision: { type: Number, required: true },
    publishedUpTo: { type: Number, required: true },
  },
  { ...strict, collection: 'driftAlerts' },
);

export const alertModel = (connection: Connection): Model<AlertDoc> =>
  connection.model<AlertDoc>('DriftAlert', alertSchema);
