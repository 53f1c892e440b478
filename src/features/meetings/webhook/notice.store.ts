import type { Model } from 'mongoose';
import type { Clock } from '../../../platform/clock.ts';
import { type Claim, documentLease } from '../../../platform/leases/lease.ts';
import type { ClaimFilter } from '../../../platform/leases/queue-runner.ts';
import { duplicateKeyOf } from '../../../platform/mongo/duplicate-key.ts';
import { newObjectId } from '../../../platform/mongo/object-id.ts';
import type { TenantRef } from '../../../platform/tenant-ref.ts';
import type { MeetingNotice } from '../provider/provider.types.ts';
import type { ReportedDeletion } from '../stored-meetings/deletions.store.ts';
import type { ClaimedNotice, NoticeDoc } from './notice.model.ts';

/** Lease TTL in milliseconds: after this long without a renewal, any process may claim the notice. */
export const NOTICE_LEASE_TTL_MS = 10_000;

/** Notices of changed meetings: a queue, and a record of the received webhooks. */
export function noticeStore({ ProviderNotice }: { ProviderNotice: Model<NoticeDoc> }, clock: Clock) {
  const lease = documentLease({
    token: 'lease.token',
    expiresAt: 'lease.expiresAt',
    ttlMs: NOTICE_LEASE_TTL_MS,
    clock,
  });
  const claimed = ({ customerId }: TenantRef, { id, token }: Claim) => ({
    _id: id,
    customerId,
    status: 'pending' as const,
    ...lease.heldBy(token),
  });

  return {
    /** Stores a notice that any process may claim. Returns null if its webhook was received before. */
    async insert(
      { customerId }: TenantRef,
      webhookId: string,
      notice: MeetingNotice,
    ): Promise<NoticeDoc | null> {
      const receivedAt = clock.now();
      const inserted: NoticeDoc = {
        _id: newObjectId(receivedAt),
        customerId,
        webhookId,
        ...notice,
        status: 'pending',
        receivedAt,
        lease: { expiresAt: receivedAt },
        attempts: 0,
      };
      try {
        await ProviderNotice.create(inserted);
        return inserted;
      } catch (error) {
        if (duplicateKeyOf(error) === null) throw error;
        return null;
      }
    },

    /** Returns deletions of these meetings reported at or after a time. */
    deletionsSince: ({ customerId }: TenantRef, meetingIds: readonly string[], since: Date) =>
      ProviderNotice.find(
        { customerId, type: 'deleted', meetingId: { $in: [...meetingIds] }, receivedAt: { $gte: since } },
        { meetingId: 1, receivedAt: 1 },
      )
        .lean<ReportedDeletion[]>()
        .exec(),

    /** Claims the notice that has been due for longest. Returns null if none is due. */
    claim: ({ id, exceptTenants, availableSince }: ClaimFilter) =>
      ProviderNotice.findOneAndUpdate(
        {
          status: 'pending',
          customerId: { $nin: exceptTenants },
          ...(id && { _id: id }),
          ...lease.expired(availableSince),
        },
        { $set: lease.acquire(), $inc: { attempts: 1 } },
        { sort: { 'lease.expiresAt': 1 }, returnDocument: 'after' },
      ).lean<ClaimedNotice>(),

    /** Returns false if another process claimed the notice: local work must then stop. */
    async renew(tenant: TenantRef, claim: Claim): Promise<boolean> {
      const { matchedCount } = await ProviderNotice.updateOne(claimed(tenant, claim), {
        $set: lease.acquire(claim.token),
      });
      return matchedCount === 1;
    },

    finish: (tenant: TenantRef, claim: Claim, status: 'done' | 'failed') =>
      ProviderNotice.updateOne(claimed(tenant, claim), { $set: { status } }),

    /** Releases the lease, for the next attempt at the given time. */
    release: (tenant: TenantRef, claim: Claim, at?: Date) =>
      ProviderNotice.updateOne(claimed(tenant, claim), lease.release(at)),
  };
}

export type NoticeStore = ReturnType<typeof noticeStore>;
