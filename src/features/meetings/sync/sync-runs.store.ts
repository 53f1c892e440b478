import { type Model, Types } from 'mongoose';
import type { Clock } from '../../../platform/clock.ts';
import { change, type Write } from '../../../platform/commit/unit-of-work.ts';
import { type Claim, documentLease } from '../../../platform/leases/lease.ts';
import type { ClaimFilter } from '../../../platform/leases/queue-runner.ts';
import { duplicateKeyOf } from '../../../platform/mongo/duplicate-key.ts';
import { newObjectId } from '../../../platform/mongo/object-id.ts';
import type { TenantRef } from '../../../platform/tenant-ref.ts';
import type { FinalSyncStatus, SyncFailure, SyncProgress } from '../meetings.types.ts';
import type { Continuation } from '../provider/provider.types.ts';
import { START_POSITION } from './sync-position.ts';
import type { ClaimedRun, RangeOfRun, RunComparison, SyncRunDoc } from './sync-runs.model.ts';

/** Lease TTL in milliseconds: after this long without a renewal, any process may claim the run. */
export const RUN_LEASE_TTL_MS = 10_000;

const NO_PROGRESS: SyncProgress = {
  pages: 0,
  fetched: 0,
  stored: 0,
  updated: 0,
  unchanged: 0,
  rejected: 0,
  skipped: 0,
  suppressed: 0,
  warnings: 0,
  warningDetails: [],
  rateLimited: 0,
  position: START_POSITION,
};

export function runStore({ MeetingSyncRun }: { MeetingSyncRun: Model<SyncRunDoc> }, clock: Clock) {
  const lease = documentLease({
    token: 'lease.token',
    expiresAt: 'lease.expiresAt',
    ttlMs: RUN_LEASE_TTL_MS,
    clock,
  });
  /** Matches the run unless it has finished or another process has claimed it. */
  const claimed = ({ customerId }: TenantRef, { id, token }: Claim) => ({
    _id: id,
    customerId,
    status: 'running' as const,
    ...lease.heldBy(token),
  });

  return {
    /** Inserts a run that any process may claim. Returns null if the tenant already has an unfinished one. */
    async insert(
      { customerId }: TenantRef,
      run: Pick<SyncRunDoc, 'generation' | 'startedAt' | 'comparison'> & RangeOfRun,
    ): Promise<SyncRunDoc | null> {
      const { startedAt } = run;
      const inserted: SyncRunDoc = {
        _id: newObjectId(startedAt),
        customerId,
        ...run,
        status: 'running',
        finishedAt: null,
        error: null,
        ...NO_PROGRESS,
        after: null,
        lease: { expiresAt: startedAt },
        claims: 0,
      };
      try {
        await MeetingSyncRun.create(inserted);
        return inserted;
      } catch (error) {
        if (duplicateKeyOf(error) === null) throw error;
        return null;
      }
    },

    /** Returns the run that is running or paused; null if there is none. */
    unfinished: ({ customerId }: TenantRef) =>
      MeetingSyncRun.findOne({ customerId, status: 'running' }).lean<SyncRunDoc>(),

    find: ({ customerId }: TenantRef, id: string) =>
      MeetingSyncRun.findOne({ _id: new Types.ObjectId(id), customerId }).lean<SyncRunDoc>(),

    /** @param before id of the last row of the previous page; null for the first page */
    list: ({ customerId }: TenantRef, { before, limit }: { before: string | null; limit: number }) =>
      MeetingSyncRun.find({
        customerId,
        ...(before === null ? {} : { _id: { $lt: new Types.ObjectId(before) } }),
      })
        .sort({ _id: -1 })
        .limit(limit)
        .lean<SyncRunDoc[]>(),

    /** Claims the run that has waited longest, of any tenant, or the given one. Returns null if none is available. */
    claim: ({ id, availableSince }: Omit<ClaimFilter, 'exceptTenants'>) =>
      MeetingSyncRun.findOneAndUpdate(
        { status: 'running', pausedAt: null, ...(id && { _id: id }), ...lease.expired(availableSince) },
        { $set: lease.acquire(), $inc: { claims: 1 } },
        { sort: { 'lease.expiresAt': 1 }, returnDocument: 'after' },
      ).lean<ClaimedRun>(),

    /** Returns false when the run was cancelled or paused, or another process claimed it: local work must then stop. */
    async renew(tenant: TenantRef, claim: Claim, rateLimited: number): Promise<boolean> {
      const { matchedCount } = await MeetingSyncRun.updateOne(claimed(tenant, claim), {
        $set: { rateLimited, ...lease.acquire(claim.token) },
      });
      return matchedCount === 1;
    },

    /** Records a stored page and renews the lease. Returns false as `renew` does. */
    async checkpoint(
      tenant: TenantRef,
      claim: Claim,
      {
        progress,
        after,
        comparison,
      }: { progress: SyncProgress; after: Continuation | null; comparison: RunComparison | undefined },
    ): Promise<boolean> {
      const { matchedCount } = await MeetingSyncRun.updateOne(claimed(tenant, claim), {
        $set: {
          ...progress,
          after,
          ...(comparison && { comparison }),
          claims: 1,
          ...lease.acquire(claim.token),
        },
      });
      return matchedCount === 1;
    },

    /** Returns whether the run is neither finished nor claimed elsewhere. */
    isClaimed: async (tenant: TenantRef, claim: Claim): Promise<boolean> =>
      (await MeetingSyncRun.exists(claimed(tenant, claim))) !== null,

    /** Write that ends a claimed run. */
    finish: (
      tenant: TenantRef,
      claim: Claim,
      end: SyncProgress & { status: FinalSyncStatus; finishedAt: Date; error: SyncFailure | null },
    ): Write => change(MeetingSyncRun, claimed(tenant, claim), { $set: end }),

    /** Number of runs of all tenants that ended with a status since a time. */
    countEnded: (status: FinalSyncStatus, { since, limit }: { since: Date; limit: number }) =>
      MeetingSyncRun.countDocuments({ finishedAt: { $gte: since }, status }, { limit }),

    /** Releases the lease, for another process to continue the run. */
    release: (tenant: TenantRef, claim: Claim) =>
      MeetingSyncRun.updateOne(claimed(tenant, claim), {
        ...lease.release(),
        $inc: { claims: -1 },
      }),

    /** Pauses the running run, so that no process holds or claims it. Returns null if none was running. */
    pause({ customerId }: TenantRef, at: Date) {
      const { $set, $unset } = lease.release(at);
      return MeetingSyncRun.findOneAndUpdate(
        { customerId, status: 'running', pausedAt: null },
        { $set: { ...$set, pausedAt: at, claims: 0 }, $unset },
        { returnDocument: 'after' },
      ).lean<SyncRunDoc>();
    },

    /** Resumes the paused run, which any process may then claim. Returns null if none was paused. */
    resume: ({ customerId }: TenantRef) =>
      MeetingSyncRun.findOneAndUpdate(
        { customerId, status: 'running', pausedAt: { $ne: null } },
        { $set: { pausedAt: null } },
        { returnDocument: 'after' },
      ).lean<SyncRunDoc>(),

    /**
     * Cancels the running or paused run and returns it; null if there was none.
     *
     * @param exceptGeneration spares a run of this connection
     */
    cancel: ({ customerId }: TenantRef, { at, exceptGeneration }: { at: Date; exceptGeneration?: string }) =>
      MeetingSyncRun.findOneAndUpdate(
        {
          customerId,
          status: 'running',
          ...(exceptGeneration !== undefined && { generation: { $ne: exceptGeneration } }),
        },
        { $set: { status: 'cancelled', finishedAt: at }, $unset: { pausedAt: '' } },
        { returnDocument: 'after' },
      ).lean<SyncRunDoc>(),
  };
}

export type RunStore = ReturnType<typeof runStore>;
