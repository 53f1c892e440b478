import { type Connection, type Model, Schema, type Types } from 'mongoose';
import { STRICT } from '../../platform/mongo/strict-schema.ts';
import type { StoredType } from '../outbox/event-type.ts';

/** One event's place in the log of its tenant. */
export interface LogEntryDoc extends StoredType {
  /** Id of the event. */
  _id: Types.ObjectId;
  customerId: number;
  /** From 1, without gaps, in the order in which the events were committed. */
  sequence: number;
}

/** The log of a tenant with event feeds. */
export interface LogDoc {
  /** Id of the customer. */
  _id: number;
  /** Last stored event that the scan has reached; null before the first. */
  scannedUntil: Types.ObjectId | null;
  /** True once every event that was stored before the log has an entry. */
  isComplete: boolean;
  /** Lease of the sequencer whose scan it is; absent before the first one. */
  scanner?: string;
  /** Highest sequence whose event retention has removed; 0 for none. */
  removedUntil: number;
}

/** The process that writes the logs, and its position in the changes of the database. */
export interface SequencerDoc {
  _id: string;
  token?: string;
  expiresAt: Date;
  /** Resume token: every event committed before it has an entry. Null before the first start. */
  position: unknown;
}

const entrySchema = new Schema<LogEntryDoc>(
  {
    customerId: { type: Number, required: true },
    sequence: { type: Number, required: true },
    event: { type: String, required: true },
    customType: String,
  },
  {
    ...STRICT,
    collection: 'eventLog',
    // The tenant alone: its entries stay on one shard, so that ids are unique among them as well.
    shardKey: { customerId: 1 },
  },
);
entrySchema.index({ customerId: 1, sequence: 1 }, { unique: true });

const logSchema = new Schema<LogDoc>(
  {
    _id: { type: Number, required: true },
    scannedUntil: { type: Schema.Types.ObjectId, default: null },
    isComplete: { type: Boolean, required: true },
    scanner: { type: String },
    removedUntil: { type: Number, required: true },
  },
  { ...STRICT, collection: 'eventLogs' },
);

const sequencerSchema = new Schema<SequencerDoc>(
  {
    _id: { type: String, required: true },
    token: String,
    expiresAt: { type: Date, required: true },
    position: { type: Schema.Types.Mixed, default: null },
  },
  { ...STRICT, collection: 'eventSequencer' },
);

export const logEntryModel = (connection: Connection): Model<LogEntryDoc> =>
  connection.model<LogEntryDoc>('EventLogEntry', entrySchema);

export const logModel = (connection: Connection): Model<LogDoc> =>
  connection.model<LogDoc>('EventLog', logSchema);

export const sequencerModel = (connection: Connection): Model<SequencerDoc> =>
  connection.model<SequencerDoc>('EventSequencer', sequencerSchema);
