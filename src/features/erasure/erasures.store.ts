import { type Model, Types } from 'mongoose';
import type { Clock } from '../../platform/clock.ts';
import { change, type Write } from '../../platform/commit/unit-of-work.ts';
import { type Claim, documentLease } from '../../platform/leases/lease.ts';
import type { ClaimFilter } from '../../platform/leases/queue-runner.ts';
import { duplicateKeyOf } from '../../platform/mongo/duplicate-key.ts';
import { isObjectIdText } from '../../platform/mongo/object-id.ts';
import { rawCollection } from '../../platform/mongo/raw-collection.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import type { Counts } from '../privacy/erasure-step.ts';
import type { AbortedErasureDoc, ClaimedErasure, ErasureDoc, ErasureProgress } from './erasures.model.ts';

/** Lease TTL in milliseconds: after this long without a renewal, any process may continue the job. */
export const ERASURE_LEASE_TTL_MS = 10_000;

/** Fields that are removed at the end of a job: what identifies the person, and its position. */
const ENDED = { subject: 1, person: 1, progress: 1, 'lease.token': 1 } as const;

/** For how long the identifiers of an aborted erasure are kept for the next one. Milliseconds. */
const ABORTED_TTL_MS = 7 * 24 * 60 * 60_000;

interface Models {
  Erasure: Model<ErasureDoc>;
  AbortedErasure: Model<AbortedErasureDoc>;
}

type Subject = Pick<ErasureDoc, 'customerId' | 'subject'>;

const abortedId = ({ customerId, subject }: Subject): string => `${customerId}:${subject}`;

export function erasureStore({ Erasure, AbortedErasure }: Models, clock: Clock) {
  const lease = documentLease({
    token: 'lease.token',
    expiresAt: 'lease.expiresAt',
    ttlMs: ERASURE_LEASE_TTL_MS,
    clock,
  });
  /** Matches until another process has claimed the job, or it has ended. */
  const claimed = ({ customerId }: TenantRef, { id, token }: Claim) => ({
    _id: id,
    customerId,
    status: 'running' as const,
    ...lease.heldBy(token),
  });

  async function update(tenant: TenantRef, claim: Claim, set: object): Promise<boolean> {
    const { matchedCount } = await Erasure.updateOne(claimed(tenant, claim), {
      $set: { ...set, ...lease.acquire(claim.token) },
    });
    return matchedCount === 1;
  }

  const findById = async ({ customerId }: TenantRef, id: string): Promise<ErasureDoc | null> =>
    isObjectIdText(id)
      ? Erasure.findOne({ _id: new Types.ObjectId(id), customerId }).lean<ErasureDoc>()
      : null;

  /**
   * Lets a running job suppress the person as well. Its process loses it; the next one suppresses the identifiers, and
   * repeats the steps for what was stored behind them. Returns null if it has ended.
   */
  const withSuppression = ({ _id, customerId }: ErasureDoc): Promise<ErasureDoc | null> =>
    rawCollection(Erasure).findOneAndUpdate(
      { _id, customerId, status: 'running' },
      [
        {
          $set: {
            suppress: true,
            isResolved: false,
            // A literal, since an embedded document would be merged into the lease, whose token would stay.
            lease: { $literal: { expiresAt: clock.now() } },
            progress: {
              $cond: [
                { $eq: [{ $type: '$progress' }, 'object'] },
                // The first pass, so that others follow it, however many this job has made.
                {
                  $mergeObjects: [
                    '$progress',
                    { hasFound: true, pass: 1, hasBegun: false, areLinksFollowed: false },
                  ],
                },
                '$$REMOVE',
              ],
            },
          },
        },
      ],
      { returnDocument: 'after' },
    );

  return {
    /**
     * Inserts a job. Returns the running one of the same subject if there is one, which takes over a wish to suppress the
     * person.
     */
    async insert(erasure: ErasureDoc): Promise<ErasureDoc> {
      for (;;) {
        try {
          await Erasure.create(erasure);
          return erasure;
        } catch (error) {
          if (duplicateKeyOf(error) === null) throw error;
          const { customerId, subject, dryRun } = erasure;
          const running = await Erasure.findOne({ customerId, subject, dryRun }).lean<ErasureDoc>();
          if (!running) continue;
          const taken = erasure.suppress && !running.suppress ? await withSuppression(running) : running;
          // Null if it has ended meanwhile.
          if (taken) return taken;
        }
      }
    },

    /** Returns the erasure of a person. */
    find: async (tenant: TenantRef, id: string): Promise<ErasureDoc | null> => {
      const found = await findById(tenant, id);
      return found?.target === 'tenant' ? null : found;
    },

    /** Returns the erasure of a person, or the deletion of the tenant. */
    findById,

    countRunning: ({ customerId }: TenantRef): Promise<number> =>
      Erasure.countDocuments({ customerId, status: 'running' }),

    /** Returns how many of the jobs repeat a running one. */
    countRepeated: ({ customerId }: TenantRef, jobs: readonly ErasureDoc[]): Promise<number> =>
      Erasure.countDocuments({
        customerId,
        $or: jobs.map(({ subject, dryRun }) => ({ subject, dryRun })),
      }),

    /** Returns the deletion of a tenant, or else its latest dry run; null if there is none. */
    deletionOf: ({ customerId }: TenantRef): Promise<ErasureDoc | null> =>
      Erasure.findOne({ customerId, target: 'tenant' }).sort({ dryRun: 1, _id: -1 }).lean<ErasureDoc>(),

    /** Returns true if a deletion of the tenant was started. */
    hasDeletion: async ({ customerId }: TenantRef): Promise<boolean> =>
      (await Erasure.exists({ customerId, target: 'tenant', dryRun: false })) !== null,

    /** Ends the erasures of people that are running, since everything of their tenant is removed. */
    async abortOfPeople({ customerId }: TenantRef, now: Date): Promise<void> {
      await Erasure.updateMany(
        { customerId, status: 'running', target: { $exists: false } },
        {
          $set: { status: 'aborted', finishedAt: now, error: 'The customer is being deleted.' },
          $unset: ENDED,
        },
      );
    },

    /** Lists the erasures of people. @param before id of the last row of the previous page; null for the first page */
    list: ({ customerId }: TenantRef, { before, limit }: { before: string | null; limit: number }) =>
      Erasure.find({
        customerId,
        target: { $exists: false },
        ...(before !== null && { _id: { $lt: new Types.ObjectId(before) } }),
      })
        .sort({ _id: -1 })
        .limit(limit)
        .lean<ErasureDoc[]>(),

    /** Claims the job that has waited longest, of any tenant, or the given one. Returns null if none is available. */
    claim: ({ id, exceptTenants, availableSince }: ClaimFilter) =>
      Erasure.findOneAndUpdate(
        {
          status: 'running',
          ...(id && { _id: id }),
          ...(exceptTenants.length > 0 && { customerId: { $nin: exceptTenants } }),
          ...lease.expired(availableSince),
        },
        { $set: lease.acquire(), $inc: { claims: 1 } },
        { sort: { 'lease.expiresAt': 1 }, returnDocument: 'after' },
      ).lean<ClaimedErasure>(),

    /** Returns false when another process has claimed the job: local work must then stop. */
    renew: (tenant: TenantRef, claim: Claim) => update(tenant, claim, {}),

    /** Records the identifiers that were found. Returns false as `renew` does. */
    resolve: (tenant: TenantRef, claim: Claim, resolved: { person: string; progress: ErasureProgress }) =>
      update(tenant, claim, { ...resolved, isResolved: true, claims: 1 }),

    /** Records progress. Returns false as `renew` does. */
    advance: (tenant: TenantRef, claim: Claim, progress: ErasureProgress, counts: Counts) =>
      update(tenant, claim, { progress, counts, claims: 1 }),

    /** Write that ends a claimed job, and removes what identifies the person. */
    finish: (
      { customerId }: TenantRef,
      claim: Claim,
      end: Pick<ErasureDoc, 'status' | 'counts' | 'error'> & { finishedAt: Date },
    ): Write =>
      change(Erasure, claimed({ customerId }, claim), {
        $set: end,
        $unset: ENDED,
      }),

    /** Keeps what an erasure has found, which is about to be aborted, for the next one of the same subject. */
    async keepIdentifiers({ _id: erasureId, person, ...of }: ErasureDoc): Promise<void> {
      const { customerId } = of;
      const expiresAt = new Date(clock.now().getTime() + ABORTED_TTL_MS);
      await AbortedErasure.updateOne(
        { _id: abortedId(of), customerId },
        { $set: { erasureId, person, expiresAt } },
        { upsert: true },
      );
    },

    /** Returns what an aborted erasure of the same subject has found; null if there is none. */
    keptIdentifiers: (of: Subject): Promise<AbortedErasureDoc | null> =>
      AbortedErasure.findOne({ _id: abortedId(of), customerId: of.customerId }).lean<AbortedErasureDoc>(),

    async removeKeptIdentifiers(of: Subject): Promise<void> {
      await AbortedErasure.deleteOne({ _id: abortedId(of), customerId: of.customerId });
    },

    /** Releases the lease, for any process to continue from `at` on. */
    release: (tenant: TenantRef, claim: Claim, at = clock.now()) =>
      Erasure.updateOne(claimed(tenant, claim), { ...lease.release(at), $inc: { claims: -1 } }),
  };
}

export type ErasureStore = ReturnType<typeof erasureStore>;
