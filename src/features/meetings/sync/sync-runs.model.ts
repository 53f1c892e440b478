import { type Connection, type Model, Schema, type Types } from 'mongoose';
import type { Lease } from '../../../platform/mongo/lease.ts';
import { SYNC_STATUSES, type SyncFailure, type SyncProgress, type SyncStatus } from '../meetings.types.ts';
import type { Continuation } from '../provider/provider.types.ts';

type ProgressOfWarnings = 'warnings' | 'warningDetails';
/** Absent in runs that an earlier version started. */
type WarningsOfRun = Partial<Pick<SyncProgress, ProgressOfWarnings>>;

/** One sync: the time range it fetches, its progress, and the lease of the process that works on it. */
export interface SyncRunDoc extends Omit<SyncProgress, ProgressOfWarnings>, WarningsOfRun {
  _id: Types.ObjectId;
  customerId: number;
  /** Generation of the connection that the run was started with. */
  generation: string;
  status: SyncStatus;
  since: Date;
  startedAt: Date;
  finishedAt: Date | null;
  error: SyncFailure | null;
  /** Checkpoint: continuation after the last stored page; null before the first one is stored. */
  after: Continuation | null;
  /** The token is absent while no process holds the run. */
  lease: { token?: string; expiresAt: Date };
  /** Claims since the last stored page. */
  claims: number;
}

/** A run that a process has claimed. */
export type ClaimedRun = SyncRunDoc & { lease: Lease };

const count = { type: Number, required: true } as const;

const runSchema = new Schema<SyncRunDoc>(
  {
    customerId: { type: Number, required: true },
    generation: { type: String, required: true },
    status: { type: String, enum: SYNC_STATUSES, required: true },
    since: { type: Date, required: true },
    startedAt: { type: Date, required: true },
    finishedAt: { type: Date, default: null },
    error: { type: Schema.Types.Mixed, default: null },
    pages: count,
    fetched: count,
    stored: count,
    updated: count,
    rejected: count,
    warnings: Number,
    warningDetails: { type: Schema.Types.Mixed },
    rateLimited: count,
    after: { type: Schema.Types.Mixed, default: null },
    lease: { token: String, expiresAt: Date },
    claims: count,
  },
  { strict: 'throw', strictQuery: 'throw', versionKey: false, collection: 'meetingSyncRuns' },
);
runSchema.index({ customerId: 1, _id: -1 });
// One sync at a time for a tenant, over all processes.
runSchema.index(
  { customerId: 1 },
  { unique: true, partialFilterExpression: { status: 'running' }, name: 'running' },
);
runSchema.index({ status: 1, _id: 1 });
// An hourly sync creates 9,000 runs a year.
runSchema.index({ finishedAt: 1 }, { expireAfterSeconds: 180 * 24 * 60 * 60 });

export const syncRunModel = (connection: Connection): Model<SyncRunDoc> =>
  connection.model<SyncRunDoc>('MeetingSyncRun', runSchema);
