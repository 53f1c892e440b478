import { type Connection, type Model, Schema, type Types } from 'mongoose';
import { STRICT } from '../../../platform/mongo/strict-schema.ts';
import type { EventName } from '../../outbox/event-catalog.ts';
import type { AlertFeature, DriftAlert, SubjectState } from './drift-alert.types.ts';

/** Alert states of all subjects of one check. */
export interface AlertStateDoc {
  /** See `stateId` in the store. */
  _id: string;
  /** Incremented by every check, which guards against concurrent checks. */
  revision: number;
  /** When the latest check was recorded. */
  checkedAt: Date;
  /** Scheduled time of the latest scheduled check; absent before the first one. */
  tick?: Date;
  subjects: SubjectState[];
}

/** An event of an alert that is not published to all customers yet. */
export interface AlertEventDoc {
  _id: Types.ObjectId;
  event: Extract<EventName, `drift.${string}`>;
  /** Absent if an earlier version stored the event, as the next four. */
  model?: string;
  alertId?: string | null;
  since?: Date;
  reminder?: boolean;
  features?: AlertFeature[];
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

/** One drift of a subject. At most one per subject is not cleared. */
export interface AlertDoc extends Omit<DriftAlert, 'id' | 'scope' | 'status'> {
  _id: Types.ObjectId;
  /** Time of the next reminder. */
  remindAt: Date;
}

/** Time after which the state of a stage that is no longer checked is forgotten. */
const UNCHECKED_TTL_SECONDS = 90 * 24 * 60 * 60;
/** How long a cleared alert is listed. */
const CLEARED_TTL_SECONDS = 400 * 24 * 60 * 60;

const stateSchema = new Schema<AlertStateDoc>(
  {
    _id: { type: String, required: true },
    revision: { type: Number, required: true },
    checkedAt: { type: Date, required: true },
    tick: Date,
    subjects: { type: Schema.Types.Mixed, required: true },
  },
  { ...STRICT, collection: 'driftAlertStates' },
);
stateSchema.index({ checkedAt: 1 }, { expireAfterSeconds: UNCHECKED_TTL_SECONDS });

export const alertStateModel = (connection: Connection): Model<AlertStateDoc> =>
  connection.model<AlertStateDoc>('DriftAlertState', stateSchema);

const eventSchema = new Schema<AlertEventDoc>(
  {
    event: { type: String, required: true },
    model: String,
    alertId: String,
    since: Date,
    reminder: Boolean,
    features: { type: Schema.Types.Mixed },
    stage: { type: String, default: null },
    feature: { type: String, default: null },
    score: { type: Number, required: true },
    threshold: { type: Number, required: true },
    checkedAt: { type: Date, required: true },
    revision: { type: Number, required: true },
    publishedUpTo: { type: Number, required: true },
  },
  // Named before the service stored alerts.
  { ...STRICT, collection: 'driftAlerts' },
);

export const alertEventModel = (connection: Connection): Model<AlertEventDoc> =>
  connection.model<AlertEventDoc>('DriftAlertEvent', eventSchema);

const alertSchema = new Schema<AlertDoc>(
  {
    model: { type: String, required: true },
    stage: { type: String, default: null },
    feature: { type: String, default: null },
    since: { type: Date, required: true },
    clearedAt: { type: Date, default: null },
    score: { type: Number, required: true },
    threshold: { type: Number, required: true },
    features: { type: Schema.Types.Mixed, required: true },
    acknowledgement: { type: Schema.Types.Mixed, default: null },
    remindedAt: { type: Date, default: null },
    remindAt: { type: Date, required: true },
  },
  { ...STRICT, collection: 'driftAlertRecords' },
);
alertSchema.index({ model: 1, stage: 1, clearedAt: 1 });
alertSchema.index({ model: 1, since: -1, _id: -1 });
// Null is no date: an alert that is not cleared does not expire.
alertSchema.index({ clearedAt: 1 }, { expireAfterSeconds: CLEARED_TTL_SECONDS });

export const alertModel = (connection: Connection): Model<AlertDoc> =>
  connection.model<AlertDoc>('DriftAlert', alertSchema);
