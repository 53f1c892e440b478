import { type Connection, type Model, Schema, type Types } from 'mongoose';
import { STRICT } from '../../platform/mongo/strict-schema.ts';
import type { StoredActor } from '../tenants/stored-actor.ts';
import type { AuditAct, AuditActor, AuditOutcome } from './audit.types.ts';

/** Id of the log of the service in place of a customer id. */
export const SERVICE_LOG = 0;

interface ActDoc extends Omit<AuditAct, 'customerId' | 'actor'> {
  _id: Types.ObjectId;
  /** Customer id, or `SERVICE_LOG`. */
  log: number;
  at: Date;
  actor: StoredActor<AuditActor>;
}

/** An act that has begun: durable before it changes anything, and removed with the insertion of its entry. */
export interface AuditIntentDoc extends ActDoc {
  /** When its process last reported that the act is in progress; absent for short acts. */
  renewedAt?: Date;
}

export interface AuditEntryDoc extends ActDoc {
  sequence: number;
  outcome: AuditOutcome;
  count: number;
  /** JSON of the changed members; null if there are none. Text, so that the hash covers it byte by byte. */
  before: string | null;
  after: string | null;
  /** Hash of the entry before; 64 zeros for the first. */
  previousHash: string;
  hash: string;
}

/** Head of a log: an append changes it and inserts the entry, in one commit. */
export interface AuditHeadDoc {
  /** The log. */
  _id: number;
  /** Key of the log's hashes, encrypted. */
  key: string;
  /** Position of the last entry; 0 for none. */
  sequence: number;
  hash: string;
  /** HMAC of position and hash, so that a shortened log is noticed. */
  signature: string;
  /** Last entry that retention has removed; absent while the log is complete. */
  checkpoint?: AuditCheckpoint;
  /** JSON of the settings at the last start; in the head of the service's log only. */
  settings?: string;
  /** The last verification of all logs; in the head of the service's log only. */
  verification?: { at: Date; findings: number; signature: string };
}

/** An entry by its place in the chain. */
export interface AuditPosition {
  sequence: number;
  hash: string;
}

/** The end of the removed beginning of a log: its entries are verified from here on. */
export interface AuditCheckpoint extends AuditPosition {
  /** HMAC of position and hash, so that only the service can shorten a log. */
  signature: string;
}

const act = {
  log: { type: Number, required: true },
  at: { type: Date, required: true },
  action: { type: String, required: true },
  actor: { _id: false, type: { type: String, required: true }, id: String, name: String, prefix: String },
  clientAddress: { type: String, default: null },
  requestId: { type: String, default: null },
  target: { _id: false, type: { type: String, required: true }, id: String },
} as const;

const intentSchema = new Schema({ ...act, renewedAt: Date }, { ...STRICT, collection: 'auditIntents' });
intentSchema.index({ at: 1 });

const entrySchema = new Schema(
  {
    ...act,
    sequence: { type: Number, required: true },
    outcome: { type: String, required: true },
    count: { type: Number, required: true },
    before: { type: String, default: null },
    after: { type: String, default: null },
    previousHash: { type: String, required: true },
    hash: { type: String, required: true },
  },
  { ...STRICT, collection: 'auditEntries' },
);
entrySchema.index({ log: 1, sequence: -1 }, { unique: true });
entrySchema.index({ log: 1, action: 1, sequence: -1 });
entrySchema.index({ log: 1, 'actor.id': 1, sequence: -1 });

const headSchema = new Schema<AuditHeadDoc>(
  {
    _id: { type: Number, required: true },
    key: { type: String, required: true },
    sequence: { type: Number, required: true },
    hash: { type: String, required: true },
    signature: { type: String, required: true },
    checkpoint: { _id: false, type: { _id: false, sequence: Number, hash: String, signature: String } },
    settings: String,
    verification: { _id: false, type: { at: Date, findings: Number, signature: String } },
  },
  { ...STRICT, collection: 'auditHeads' },
);

export const auditIntentModel = (connection: Connection) =>
  connection.model('AuditIntent', intentSchema) as unknown as Model<AuditIntentDoc>;
export const auditEntryModel = (connection: Connection) =>
  connection.model('AuditEntry', entrySchema) as unknown as Model<AuditEntryDoc>;
export const auditHeadModel = (connection: Connection): Model<AuditHeadDoc> =>
  connection.model<AuditHeadDoc>('AuditHead', headSchema);
