import type { Model } from 'mongoose';
import type { Clock } from '../../platform/clock.ts';
import { type Claim, documentLease } from '../../platform/leases/lease.ts';
import type { ClaimFilter } from '../../platform/leases/queue-runner.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import type { RetentionKind } from '../privacy/retention-step.ts';
import type { ClaimedPolicy, RetentionPolicyDoc, RunProgress } from './retention-policy.model.ts';

/** Lease TTL in milliseconds: after this long without a renewal, any process may continue the run. */
export const RETENTION_LEASE_TTL_MS = 10_000;

interface RunEnd {
  run: RunProgress;
  /** Kinds that the run could not complete. */
  failed: RetentionKind[];
  /** Time of the next run. */
  nextAt: Date;
}

export function retentionPolicyStore(
  { RetentionPolicy }: { RetentionPolicy: Model<RetentionPolicyDoc> },
  clock: Clock,
) {
  const lease = documentLease({
    token: 'lease.token',
    expiresAt: 'lease.expiresAt',
    ttlMs: RETENTION_LEASE_TTL_MS,
    clock,
  });
  const claimed = ({ customerId }: TenantRef, { id, token }: Claim) => ({
    _id: id,
    customerId,
    ...lease.heldBy(token),
  });

  return {
    find: ({ customerId }: TenantRef) => RetentionPolicy.findOne({ customerId }).lean<RetentionPolicyDoc>(),

    /** Policies of all tenants, by customer id. */
    all: () => RetentionPolicy.find().sort({ customerId: 1 }).lean<RetentionPolicyDoc>().cursor(),

    /** Changes retention times, and makes the next run due. A run in progress loses its lease. @param days null to remove */
    async update(
      { customerId }: TenantRef,
      days: Partial<Record<RetentionKind, number | null>>,
    ): Promise<RetentionPolicyDoc> {
      const now = clock.now();
      const empty = { days: {}, removed: {}, positions: {}, updatedAt: now, restartedAt: now };
      await RetentionPolicy.updateOne(
        { customerId },
        { $setOnInsert: { ...empty, 'lease.expiresAt': now } },
        { upsert: true },
      );
      const { $set: due, $unset: token } = lease.release(now);
      const paths = (isSet: boolean) =>
        Object.fromEntries(
          Object.entries(days).flatMap(([kind, value]) =>
            (value !== null) === isSet ? [[`days.${kind}`, value]] : [],
          ),
        );
      const updated = await RetentionPolicy.findOneAndUpdate(
        { customerId },
        {
          $set: { ...paths(true), updatedAt: now, positions: {}, restartedAt: now, ...due },
          $unset: { ...paths(false), ...token },
        },
        { returnDocument: 'after' },
      ).lean<RetentionPolicyDoc>();
      if (!updated) throw new Error(`Customer ${customerId} has no retention policy.`);
      return updated;
    },

    /** Claims the policy whose run is due for longest, of any tenant, or the given one. */
    claim: ({ id, exceptTenants, availableSince }: ClaimFilter) =>
      RetentionPolicy.findOneAndUpdate(
        {
          ...(id && { _id: id }),
          ...(exceptTenants.length > 0 && { customerId: { $nin: exceptTenants } }),
          ...lease.expired(availableSince),
        },
        { $set: lease.acquire() },
        { sort: { 'lease.expiresAt': 1 }, returnDocument: 'after' },
      ).lean<ClaimedPolicy>(),

    /** Returns false when another process has claimed the policy, or it has changed: local work must then stop. */
    async renew(
      tenant: TenantRef,
      claim: Claim,
      progress: Partial<Pick<RetentionPolicyDoc, 'positions' | 'restartedAt' | 'run'>> = {},
    ): Promise<boolean> {
      const { matchedCount } = await RetentionPolicy.updateOne(claimed(tenant, claim), {
        $set: { ...progress, ...lease.acquire(claim.token) },
      });
      return matchedCount === 1;
    },

    /** Records the end of a run. */
    async finish(tenant: TenantRef, claim: Claim, { run, failed, nextAt }: RunEnd): Promise<void> {
      const { removed, removing } = run;
      const { $set, $unset } = lease.release(nextAt);
      const isComplete = failed.length === 0;
      await RetentionPolicy.updateOne(claimed(tenant, claim), {
        $set: {
          ...$set,
          ...{ removed, lastRunAt: clock.now() },
          ...(!isComplete && { failed, run: { removed: {}, removing } }),
        },
        $unset: { ...$unset, ...(isComplete && { failed: 1, run: 1 }) },
      });
    },

    /** Releases the lease, for any process to continue. */
    release: (tenant: TenantRef, claim: Claim) =>
      RetentionPolicy.updateOne(claimed(tenant, claim), lease.release()),
  };
}

export type RetentionPolicyStore = ReturnType<typeof retentionPolicyStore>;
