import { type Connection, type Model, Schema, type Types } from 'mongoose';
import type { Lease } from '../../../platform/leases/lease.ts';
import { STRICT } from '../../../platform/mongo/strict-schema.ts';
import {
  SYNC_SCOPES,
  SYNC_STATUSES,
  type SyncFailure,
  type SyncProgress,
  type SyncScope,
  type SyncStatus,
} from '../meetings.types.ts';
import type { Continuation } from '../provider/provider.types.ts';

/** Fields that runs of earlier versions lack. */
type LaterProgress = 'unchanged' | 'skipped' | 'suppressed' | 'warnings' | 'warningDetails' | 'position';

/** A sync: what it fetches, its progress, and the lease of the process that works on it. */
export interface SyncRunDoc
  extends Omit<SyncProgress, LaterProgress>,
    Partial<Pick<SyncProgress, LaterProgress>> {
  _id: Types.ObjectId;
  customerId: number;
  /** Generation of the connection that the run was started with. */
  generation: string;
  /** A paused run is `running` with `pausedAt`, so that it remains its tenant's only unfinished run. */
  status: Exclude<SyncStatus, 'paused'>;
  /** Time of the pause; absent or null unless the run is paused. */
  pausedAt?: Date | null;
  /** Absent in runs of an earlier version, which are incremental. */
  scope?: SyncScope;
  since: Date;
  /** End of a chosen time range, exclusive; absent or null if it has none. */
  until?: Date | null;
  /** Present while the run compares the stored meetings with the provider's. */
  comparison?: RunComparison;
  /** True if the run fetches the meetings changed in the time range; absent if it fetches the meetings created in it. */
  byChange?: boolean;
  startedAt: Date;
  finishedAt: Date | null;
  error: SyncFailure | null;
  /** Checkpoint: where the page after the last stored one is; null before the first is stored. */
  after: Continuation | null;
  /** The token is absent while no process holds the run. */
  lease: { token?: string; expiresAt: Date };
  /** Claims since the last stored page. */
  claims: number;
  /** Number of entries ever written to the run's log; absent before the first. */
  logged?: number;
}

/** State of a comparison, which finds deleted meetings. */
export interface RunComparison {
  /** By the database's clock. */
  startedAt: Date;
  /** Which reading of the list this is: the second confirms the missing meetings. */
  reading: 1 | 2;
  /** Meetings fetched before the second reading; absent during the first. */
  fetchedBefore?: number;
  /** True once a page contained a meeting without a usable id: the list is not complete. */
  isIncomplete: boolean;
}

/** The meetings that a run fetches. */
export type RangeOfRun = Pick<SyncRunDoc, 'scope' | 'since' | 'until' | 'byChange'>;

/** A run that a process has claimed. */
export type ClaimedRun = SyncRunDoc & { lease: Lease };

const count = { type: Number, required: true } as const;

const runSchema = new Schema<SyncRunDoc>(
  {
    customerId: { type: Number, required: true },
    generation: { type: String, required: true },
    status: { type: String, enum: SYNC_STATUSES.filter((status) => status !== 'paused'), required: true },
    pausedAt: { type: Date },
    scope: { type: String, enum: SYNC_SCOPES },
    since: { type: Date, required: true },
    until: { type: Date },
    comparison: { type: Schema.Types.Mixed },
    byChange: Boolean,
    startedAt: { type: Date, required: true },
    finishedAt: { type: Date, default: null },
    error: { type: Schema.Types.Mixed, default: null },
    pages: count,
    fetched: count,
    stored: count,
    updated: count,
    unchanged: Number,
    rejected: count,
    skipped: Number,
    suppressed: Number,
    warnings: Number,
    warningDetails: { type: Schema.Types.Mixed },
    rateLimited: count,
    position: { type: Schema.Types.Mixed },
    after: { type: Schema.Types.Mixed, default: null },
    lease: { token: String, expiresAt: Date },
    claims: count,
    logged: Number,
  },
  { ...STRICT, collection: 'meetingSyncRuns' },
);
runSchema.index({ customerId: 1, _id: -1 });
// One sync per tenant at a time, across all processes.
runSchema.index(
  { customerId: 1 },
  { unique: true, partialFilterExpression: { status: 'running' }, name: 'running' },
);
// Claims skip paused runs, which may stay paused forever.
runSchema.index({ status: 1, pausedAt: 1, 'lease.expiresAt': 1 });
// Metrics count the recent failures of all tenants without reading the runs that succeeded.
runSchema.index({ status: 1, finishedAt: 1 });
// An hourly sync creates about 9,000 runs a year.
runSchema.index({ finishedAt: 1 }, { expireAfterSeconds: 180 * 24 * 60 * 60 });

export const syncRunModel = (connection: Connection): Model<SyncRunDoc> =>
  connection.model<SyncRunDoc>('MeetingSyncRun', runSchema);
