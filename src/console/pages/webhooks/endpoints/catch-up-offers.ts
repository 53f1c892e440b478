import { MAX_ATTEMPTS } from '../../../../shared/delivery-attempts.ts';
import { DAY_MS, MINUTE_MS } from '../../../format.ts';
import type { CatchUpDeliveryFragment } from '../../../generated/graphql.ts';

/** The newest deliveries of an enabled endpoint by status; undefined where there is none. */
export interface NewestDeliveries {
  succeeded?: CatchUpDeliveryFragment | undefined;
  retrying?: CatchUpDeliveryFragment | undefined;
  failed?: CatchUpDeliveryFragment | undefined;
  cancelled?: CatchUpDeliveryFragment | undefined;
}

interface Situation {
  autoRecover: boolean;
  nowMs: number;
}

/** What a customer can do about deliveries that an endpoint has missed. */
export interface CatchUpOffers {
  /** True if the receiver has accepted a delivery after the failure of the others. */
  answersAgain: boolean;
  /** Makes scheduled retries due. */
  retry: boolean;
  /** Starts deliveries of the last 24 hours again that have failed or were cancelled. */
  recover: boolean;
}

const timeOf = (at: string | null | undefined): number => (at ? Date.parse(at) : Number.NaN);

/**
 * Returns what to offer for an endpoint. Retries and exhausted deliveries wait for a success after their last attempt. What
 * an HTTP 410 has ended, and what was cancelled because of it, is offered at once, since the endpoint is enabled again.
 * Deliveries that the receiver refused by `webhook-delivery: stop` are not offered.
 */
export function catchUpOffers(
  { succeeded, retrying, failed, cancelled }: NewestDeliveries,
  { autoRecover, nowMs }: Situation,
): CatchUpOffers {
  const answeredAt = timeOf(succeeded?.lastAttemptAt);
  const retry =
    answeredAt > timeOf(retrying?.lastAttemptAt) && timeOf(retrying?.nextRetryAt) > nowMs + MINUTE_MS;
  const isExhausted = failed?.attempt === MAX_ATTEMPTS && !autoRecover;
  const isMissed = failed?.error === 'http_410' || (isExhausted && answeredAt > timeOf(failed.lastAttemptAt));
  const missed = [cancelled, isMissed ? failed : undefined].flatMap((delivery) =>
    nowMs - timeOf(delivery?.createdAt) < DAY_MS ? [timeOf(delivery?.createdAt)] : [],
  );
  const recover = missed.length > 0;
  return { answersAgain: retry || (recover && answeredAt > Math.max(...missed)), retry, recover };
}
