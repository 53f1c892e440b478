import { type Connection, type Model, Schema, type Types } from 'mongoose';
import type { Lease } from '../../platform/leases/lease.ts';
import { STRICT } from '../../platform/mongo/strict-schema.ts';
import type { RetentionKind } from '../privacy/retention-step.ts';

/** Numbers by kind; absent kinds have none. */
export type ByKind = Partial<Record<RetentionKind, number>>;

/** What a run has done before its end. */
export interface RunProgress {
  removed: ByKind;
  /** Ids that are stored before the objects are removed, so that a later run completes an interrupted removal. */
  removing: Partial<Record<RetentionKind, string[]>>;
}

/** As `RunProgress`; an earlier version stored one removal at most, with its kind. */
export type StoredRun = Pick<RunProgress, 'removed'> & {
  removing: RunProgress['removing'] | { kind: RetentionKind; ids: string[] } | null;
};

/** The retention times of a tenant, and the run that enforces them. */
export interface RetentionPolicyDoc {
  _id: Types.ObjectId;
  customerId: number;
  /** Absent members: nothing is removed. */
  days: ByKind;
  updatedAt: Date;
  /** End of the latest run; absent before it. */
  lastRunAt?: Date;
  /** Objects that the latest run has removed. */
  removed: ByKind;
  /** Kinds that the latest run could not complete; absent if there were none. */
  failed?: RetentionKind[];
  /** The run that has not ended, or the removals that failed in the latest one; absent if the latest one was complete. */
  run?: StoredRun;
  /** Where the next run continues, for the kinds whose objects are kept. */
  positions: Partial<Record<RetentionKind, string>>;
  /** When the positions were last dropped. */
  restartedAt: Date;
  /** Free from the time of the next run on. */
  lease: { token?: string; expiresAt: Date };
}

/** A policy that a process has claimed. */
export type ClaimedPolicy = RetentionPolicyDoc & { lease: Lease };

const policySchema = new Schema<RetentionPolicyDoc>(
  {
    customerId: { type: Number, required: true },
    days: { type: Schema.Types.Mixed, required: true },
    updatedAt: { type: Date, required: true },
    lastRunAt: Date,
    removed: { type: Schema.Types.Mixed, required: true },
    failed: { type: [String], default: undefined },
    run: { type: Schema.Types.Mixed },
    positions: { type: Schema.Types.Mixed, required: true },
    restartedAt: { type: Date, required: true },
    lease: { token: String, expiresAt: Date },
  },
  {
    ...STRICT,
    minimize: false,
    collection: 'retentionPolicies',
  },
);
policySchema.index({ customerId: 1 }, { unique: true });
policySchema.index({ 'lease.expiresAt': 1 });

export const retentionPolicyModel = (connection: Connection): Model<RetentionPolicyDoc> =>
  connection.model<RetentionPolicyDoc>('RetentionPolicy', policySchema);
