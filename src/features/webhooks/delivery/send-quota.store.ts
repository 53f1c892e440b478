import { type Connection, type Model, Schema } from 'mongoose';
import { rawCollection, rawReads } from '../../../platform/mongo/raw-collection.ts';
import { STRICT } from '../../../platform/mongo/strict-schema.ts';
import type { EndpointRateLimit } from '../endpoints/endpoint.types.ts';

/** Permits that were taken at about the same time. */
interface Grant {
  /** Time at which they count as taken: up to a hundredth of the period later. */
  at: Date;
  permits: number;
}

/** Permits of one endpoint that processes have taken within the period of its rate limit. */
interface SendQuotaDoc {
  /** The endpoint. */
  _id: number;
  /** In chronological order, at most about a hundred. */
  grants: Grant[];
  /** Permits of the latest call. */
  granted: number;
  /** Time of the latest call that got fewer permits than it wanted. */
  refusedAt?: Date;
  /** End of the time that the permits taken so far cover at an even pace. Milliseconds since 1970. */
  pacedUntilMs?: number;
  /** End of the last grant's period. */
  expiresAt: Date;
}

const sendQuotaSchema = new Schema<SendQuotaDoc>(
  {
    _id: { type: Number, required: true },
    grants: { type: [Schema.Types.Mixed], required: true } as never,
    granted: { type: Number, required: true },
    refusedAt: { type: Date },
    pacedUntilMs: { type: Number },
    expiresAt: { type: Date, required: true },
  },
  { ...STRICT, collection: 'webhookSendQuotas' },
);
sendQuotaSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const sendQuotaModel = (connection: Connection): Model<SendQuotaDoc> =>
  connection.model<SendQuotaDoc>('WebhookSendQuota', sendQuotaSchema);

/** An endpoint with a rate limit. */
export interface RateLimited {
  id: number;
  rateLimit: EndpointRateLimit;
}

/** Grants within this share of the period are one. */
const GRANT_SHARE = 0.01;
/** Largest number of permits at once while they are paced: a share of the limit … */
const PACED_SHARE = 0.1;
/** … and at least the permits of this time, since processes ask for them at intervals. Milliseconds. */
const PACED_MS = 1_000;

/**
 * Quotas of the rate limits of endpoints, over all processes: within any period, at most `count` permits are taken. They
 * may be taken at once, until a call is refused. For two periods after that, they are granted at an even pace: a backlog is
 * sent evenly instead of in a burst per period. A process takes the permits of a claim in one write.
 */
export function sendQuotaStore({ SendQuota }: { SendQuota: Model<SendQuotaDoc> }) {
  const collection = rawCollection(SendQuota);
  const reads = rawReads(SendQuota);

  return {
    /** Takes up to `wanted` permits. Returns their number and, if fewer are left, the time of the next one. */
    async take({ id, rateLimit }: RateLimited, wanted: number, now: Date) {
      const quota = await collection.findOneAndUpdate({ _id: id }, taking(rateLimit, wanted, now), {
        upsert: true,
        returnDocument: 'after',
        // Not journaled: after a failover, permits of the last moments can be taken again.
        writeConcern: { w: 1 },
      });
      if (!quota) throw new Error('The database returned no send quota.');
      const { granted } = quota;
      return { granted, until: granted < wanted ? nextPermitAt(quota, rateLimit, now) : null };
    },

    /** Returns, by endpoint, when the next permit is free; without the endpoints that have one now. */
    async exhausted(endpoints: readonly RateLimited[], now: Date): Promise<Map<number, Date>> {
      if (endpoints.length === 0) return new Map();
      const quotas = await reads.find({ _id: { $in: endpoints.map(({ id }) => id) } }).toArray();
      const limits = new Map(endpoints.map(({ id, rateLimit }) => [id, rateLimit]));
      const times = quotas.flatMap((quota) => {
        const rateLimit = limits.get(quota._id);
        const at = rateLimit && nextPermitAt(quota, rateLimit, now);
        return at ? [[quota._id, at] as const] : [];
      });
      return new Map(times);
    },
  };
}

export type SendQuotaStore = ReturnType<typeof sendQuotaStore>;

const periodMs = ({ perSeconds }: EndpointRateLimit): number => perSeconds * 1000;

/** Returns the pace of a rate limit: the time between two permits, and the time whose permits may be taken at once. */
function paceOf(rateLimit: EndpointRateLimit): { stepMs: number; burstMs: number } {
  const stepMs = periodMs(rateLimit) / rateLimit.count;
  const burst = Math.max(1, Math.ceil(rateLimit.count * PACED_SHARE), Math.ceil(PACED_MS / stepMs));
  return { stepMs, burstMs: burst * stepMs };
}

/** Returns the earliest time of a refusal for which permits are still paced. */
const pacedSince = (rateLimit: EndpointRateLimit, now: Date): Date =>
  new Date(now.getTime() - 2 * periodMs(rateLimit));

/** Returns the update that takes as many permits as the grants of the period before `now` and the pace leave. */
function taking(rateLimit: EndpointRateLimit, wanted: number, now: Date) {
  const nowMs = now.getTime();
  const since = new Date(nowMs - periodMs(rateLimit));
  const grantMs = Math.max(1, periodMs(rateLimit) * GRANT_SHARE);
  const at = new Date(Math.ceil(nowMs / grantMs) * grantMs);
  const { stepMs, burstMs } = paceOf(rateLimit);
  const grantsThat = (condition: object) => ({
    $filter: { input: { $ifNull: ['$grants', []] }, as: 'grant', cond: condition },
  });
  const sameGrant = { $eq: ['$$grant.at', at] };
  const left = { $subtract: [rateLimit.count, { $sum: '$grants.permits' }] };
  const isPaced = { $gt: ['$refusedAt', pacedSince(rateLimit, now)] };
  const pacedFromMs = { $max: [nowMs, '$pacedUntilMs'] };
  // Half a millisecond is for what the division rounds down.
  const pacedLeft = { $floor: { $divide: [{ $subtract: [nowMs + burstMs + 0.5, pacedFromMs] }, stepMs] } };
  const granted = { $max: [0, { $min: [wanted, left, { $cond: [isPaced, pacedLeft, wanted] }] }] };
  const permits = { $add: ['$granted', { $sum: '$same.permits' }] };
  const isRefused = { $lt: ['$granted', wanted] };
  const periodEndsMs = { $add: [{ $toLong: { $min: '$grants.at' } }, periodMs(rateLimit)] };
  return [
    { $set: { grants: grantsThat({ $gt: ['$$grant.at', since] }) } },
    { $set: { granted, same: grantsThat(sameGrant) } },
    {
      $set: {
        grants: {
          $cond: [
            { $eq: ['$granted', 0] },
            '$grants',
            { $concatArrays: [grantsThat({ $not: [sameGrant] }), [{ at, permits }]] },
          ],
        },
        pacedUntilMs: { $add: [pacedFromMs, { $multiply: ['$granted', stepMs] }] },
        expiresAt: new Date(at.getTime() + 2 * periodMs(rateLimit)),
      },
    },
    {
      $set: {
        // The pace begins at the end of the burst's period, with a single permit.
        pacedUntilMs: {
          $cond: [
            { $and: [isRefused, { $not: [isPaced] }] },
            { $add: [periodEndsMs, burstMs - stepMs] },
            '$pacedUntilMs',
          ],
        },
        refusedAt: { $cond: [isRefused, now, '$refusedAt'] },
      },
    },
    { $unset: 'same' },
  ];
}

/** Returns the time of the next permit; null if there is one at `now`. */
function nextPermitAt(quota: SendQuotaDoc, rateLimit: EndpointRateLimit, now: Date): Date | null {
  const nextMs = Math.max(nextInPeriodMs(quota, rateLimit, now), nextAtPaceMs(quota, rateLimit, now));
  return nextMs > now.getTime() ? new Date(nextMs) : null;
}

/** Returns the time at which the period before it has a permit left. Milliseconds since 1970. */
function nextInPeriodMs({ grants }: SendQuotaDoc, rateLimit: EndpointRateLimit, now: Date): number {
  const times = grants.map(({ at, permits }) => ({ endsAt: at.getTime() + periodMs(rateLimit), permits }));
  const counted = times.filter(({ endsAt }) => endsAt > now.getTime());
  let taken = counted.reduce((sum, { permits }) => sum + permits, 0);
  let nextMs = now.getTime();
  for (const { endsAt, permits } of counted) {
    if (taken < rateLimit.count) break;
    taken -= permits;
    nextMs = endsAt;
  }
  return nextMs;
}

/** Returns the time at which the pace has a permit, if permits are paced. Milliseconds since 1970. */
function nextAtPaceMs(
  { refusedAt, pacedUntilMs = 0 }: SendQuotaDoc,
  rateLimit: EndpointRateLimit,
  now: Date,
): number {
  if (!refusedAt || refusedAt <= pacedSince(rateLimit, now)) return now.getTime();
  const { stepMs, burstMs } = paceOf(rateLimit);
  return Math.ceil(pacedUntilMs + stepMs - burstMs);
}
