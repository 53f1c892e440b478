import type { Model } from 'mongoose';
import type { Clock } from '../../../platform/clock.ts';
import { documentLease } from '../../../platform/leases/lease.ts';
import type { TenantRef } from '../../../platform/tenant-ref.ts';
import type { MappingDoc, ReprojectionState } from '../mapping/mapping.model.ts';
import type { VersionedMapping } from '../meetings.types.ts';

/** Lease TTL in milliseconds: after this long without a stored batch, any process may continue. */
const LEASE_TTL_MS = 10_000;

/** A re-projection that this process has claimed. */
export interface ClaimedReprojection {
  tenant: TenantRef;
  mapping: VersionedMapping;
  state: ReprojectionState;
  token: string;
}

export type BatchCounts = Pick<ReprojectionState, 'done' | 'withoutRecord' | 'skipped' | 'activeMs'>;

export type ReprojectedMapping = MappingDoc & Required<Pick<MappingDoc, 'version' | 'reprojection'>>;

/** Stores each re-projection in the document of its mapping. */
export function reprojectionStore({ FieldMappings }: { FieldMappings: Model<MappingDoc> }, clock: Clock) {
  const lease = documentLease({
    token: 'reprojection.token',
    expiresAt: 'reprojection.dueAt',
    ttlMs: LEASE_TTL_MS,
    clock,
  });

  /** Matches until another process claims the re-projection, or a newer mapping replaces it. */
  const claimed = ({ tenant, mapping, token }: ClaimedReprojection) => ({
    _id: tenant.customerId,
    version: mapping.version,
    ...lease.heldBy(token),
  });

  async function update(
    claim: ClaimedReprojection,
    changes: Parameters<typeof FieldMappings.updateOne>[1],
  ): Promise<boolean> {
    const options = { updatePipeline: Array.isArray(changes) };
    const { matchedCount } = await FieldMappings.updateOne(claimed(claim), changes, options);
    return matchedCount === 1;
  }

  return {
    /** Returns null if the tenant's mapping was never changed. */
    find: ({ customerId }: TenantRef) =>
      FieldMappings.findOne({
        _id: customerId,
        reprojection: { $exists: true },
      }).lean<ReprojectedMapping>(),

    /** Claims the re-projection that has been due for longest, of any tenant. Returns null if none is due. */
    async claim(): Promise<ClaimedReprojection | null> {
      const acquired = lease.acquire();
      const found = await FieldMappings.findOneAndUpdate(
        lease.expired(),
        { $set: acquired, $inc: { 'reprojection.claims': 1 } },
        { sort: { 'reprojection.dueAt': 1 }, returnDocument: 'after' },
      ).lean<ReprojectedMapping>();
      if (!found) return null;
      const { _id: customerId, version, mappings: fields, reprojection: state } = found;
      return {
        tenant: { customerId },
        mapping: { version, fields },
        state,
        token: acquired['reprojection.token'],
      };
    },

    setTotal: (claim: ClaimedReprojection, total: number) =>
      update(claim, { $set: { 'reprojection.total': total } }),

    /**
     * Adds a batch and renews the lease; a failed re-projection is running again. Returns false if the lease was lost:
     * local work must then stop.
     */
    advance: (claim: ClaimedReprojection, { done, withoutRecord, skipped, activeMs }: BatchCounts) =>
      update(claim, {
        $inc: {
          'reprojection.done': done,
          'reprojection.withoutRecord': withoutRecord,
          'reprojection.skipped': skipped,
          'reprojection.activeMs': activeMs,
        },
        $set: {
          ...(claim.state.status === 'failed' && {
            'reprojection.status': 'running',
            'reprojection.finishedAt': null,
          }),
          'reprojection.claims': 0,
          ...lease.acquire(claim.token),
        },
      }),

    /**
     * Records that no activity of an older mapping is left. A batch that was written before a crash, and activities that a
     * sync has built meanwhile, count as done.
     *
     * @param nextCheckAt null for no further check
     */
    succeed: (claim: ClaimedReprojection, nextCheckAt: Date | null) =>
      update(claim, [
        {
          $set: {
            'reprojection.status': 'succeeded',
            'reprojection.total': { $max: ['$reprojection.total', '$reprojection.done'] },
            'reprojection.finishedAt': {
              $cond: [
                { $eq: ['$reprojection.status', 'succeeded'] },
                '$reprojection.finishedAt',
                clock.now(),
              ],
            },
            'reprojection.claims': 0,
            'reprojection.dueAt': nextCheckAt,
          },
        },
        { $set: { 'reprojection.done': '$reprojection.total' } },
        { $unset: 'reprojection.token' },
      ]),

    /** Extends the lease up to the next attempt, in case this one fails as well. */
    extend: (claim: ClaimedReprojection, retryAt: Date) =>
      update(claim, { $set: { 'reprojection.dueAt': retryAt } }),

    /** Records a failure and releases the lease, for the next attempt at the given time. */
    fail: (claim: ClaimedReprojection, retryAt: Date) => {
      const { $set, $unset } = lease.release(retryAt);
      const failed = { 'reprojection.status': 'failed', 'reprojection.finishedAt': clock.now() };
      return update(claim, { $set: { ...$set, ...(claim.state.status !== 'failed' && failed) }, $unset });
    },

    /** Makes re-projections due that failed under an earlier version, which did not retry them. */
    requeueFailed: () =>
      FieldMappings.updateMany(
        { 'reprojection.status': 'failed', 'reprojection.dueAt': null },
        { $set: { 'reprojection.dueAt': clock.now() } },
      ),

    /** Releases the lease, so that any process may continue. */
    release: (claim: ClaimedReprojection) => update(claim, lease.release()),
  };
}

export type ReprojectionStore = ReturnType<typeof reprojectionStore>;
