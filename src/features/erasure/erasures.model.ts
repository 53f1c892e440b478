import { type Connection, type Model, Schema, type Types } from 'mongoose';
import type { Lease } from '../../platform/leases/lease.ts';
import { STRICT } from '../../platform/mongo/strict-schema.ts';
import type { Counts } from '../privacy/erasure-step.ts';
import {
  DELIVERY_POLICIES,
  type DeliveryPolicy,
  ERASURE_STATUSES,
  type ErasureStatus,
} from './erasure.types.ts';

/** What a step has found and may have erased already, so that it is counted once. */
export interface PendingBatch {
  ids: string[];
  counts: Counts;
  next: unknown;
  /** See `FoundData`; absent in jobs of an earlier version. */
  isRepair?: boolean;
}

/** Where a job is. */
export interface ErasureProgress {
  /** Number of the pass over all steps, from 1. */
  pass: number;
  step: string;
  /** Position in the collection of the step; null for its beginning. */
  after: unknown;
  /** True once this pass has found something that another pass may find again. */
  hasFound: boolean;
  /** True once this pass has left something out because of a delivery on its way. */
  isWaiting: boolean;
  /** True once the pass has begun; before that, the job waits for writes in progress. */
  hasBegun: boolean;
  /** True once the links that were being stored behind the suppression are followed; absent before. */
  areLinksFollowed?: boolean;
  /** Stored before the batch is erased; null while there is none. */
  batch: PendingBatch | null;
}

/** Subject of the deletion of a tenant. */
export const TENANT_SUBJECT = 'tenant';

/** An erasure: the job while it runs, and its receipt afterwards, which contains no data of the person. */
export interface ErasureDoc {
  _id: Types.ObjectId;
  customerId: number;
  /** Absent for the erasure of a person. */
  target?: 'tenant';
  status: ErasureStatus;
  dryRun: boolean;
  suppress: boolean;
  deliveries: DeliveryPolicy;
  counts: Counts;
  /** Id of the API key that started it; null for the command line. */
  createdBy: string | null;
  startedAt: Date;
  finishedAt: Date | null;
  /** Cause of the failure; null unless it failed. */
  error: string | null;
  /** Keyed hash of the given identifiers, or `TENANT_SUBJECT`; absent after the end. */
  subject?: string;
  /** The identifiers, encrypted; absent after the end, and for a tenant. */
  person?: string;
  /** True once links are followed and the identifiers are suppressed. */
  isResolved: boolean;
  /** Absent before the first step and after the end. */
  progress?: ErasureProgress;
  /** The token is absent while no process holds the job. */
  lease: { token?: string; expiresAt: Date };
  /** Claims since the last stored progress. */
  claims: number;
}

/** An erasure that a process has claimed. */
export type ClaimedErasure = ErasureDoc & { lease: Lease };

const erasureSchema = new Schema<ErasureDoc>(
  {
    customerId: { type: Number, required: true },
    target: { type: String, enum: ['tenant'] },
    status: { type: String, enum: ERASURE_STATUSES, required: true },
    dryRun: { type: Boolean, required: true },
    suppress: { type: Boolean, required: true },
    deliveries: { type: String, enum: DELIVERY_POLICIES, required: true },
    counts: { type: Schema.Types.Mixed, required: true },
    createdBy: { type: String, default: null },
    startedAt: { type: Date, required: true },
    finishedAt: { type: Date, default: null },
    error: { type: String, default: null },
    subject: String,
    person: String,
    isResolved: { type: Boolean, required: true },
    progress: { type: Schema.Types.Mixed },
    lease: { token: String, expiresAt: Date },
    claims: { type: Number, required: true },
  },
  { ...STRICT, minimize: false, collection: 'erasures' },
);
erasureSchema.index({ customerId: 1, _id: -1 });
// The same person is erased once at a time.
erasureSchema.index(
  { customerId: 1, subject: 1, dryRun: 1 },
  { unique: true, partialFilterExpression: { subject: { $exists: true } } },
);
erasureSchema.index(
  { 'lease.expiresAt': 1 },
  { partialFilterExpression: { status: 'running' }, name: 'running' },
);

export const erasureModel = (connection: Connection): Model<ErasureDoc> =>
  connection.model<ErasureDoc>('Erasure', erasureSchema);

/** What an aborted erasure has found: it can have removed the data that links the identifiers. */
export interface AbortedErasureDoc {
  /** Customer and subject of the erasure, `7:<hash>`. */
  _id: string;
  customerId: number;
  erasureId: Types.ObjectId;
  /** The identifiers, encrypted for the erasure. */
  person: string;
  expiresAt: Date;
}

const abortedSchema = new Schema<AbortedErasureDoc>(
  {
    _id: { type: String, required: true },
    customerId: { type: Number, required: true },
    erasureId: { type: Schema.Types.ObjectId, required: true },
    person: { type: String, required: true },
    expiresAt: { type: Date, required: true },
  },
  { ...STRICT, collection: 'abortedErasures' },
);
abortedSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const abortedErasureModel = (connection: Connection): Model<AbortedErasureDoc> =>
  connection.model<AbortedErasureDoc>('AbortedErasure', abortedSchema);
