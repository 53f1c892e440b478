import { MINUTE_MS } from '../../../format.ts';
import type { CatchUpDeliveryFragment } from '../../../generated/graphql.ts';
import { isEndedByGone, type MadeAttempt } from '../deliveries/delivery-status.ts';

type FailedDelivery = CatchUpDeliveryFragment & { attempts: readonly MadeAttempt[] };

/** What an enabled endpoint has missed, and whether its receiver responds. */
export interface MissedDeliveries {
  /** The newest delivery with the status; undefined if there is none. */
  succeeded?: CatchUpDeliveryFragment | undefined;
  retrying?: CatchUpDeliveryFragment | undefined;
  /** The newest failed deliveries that a recovery by default finds. */
  failed: readonly FailedDelivery[];
  /** True if events occurred while the endpoint was disabled. */
  whileDisabled: boolean;
}

interface Situation {
  autoRecover: boolean;
  nowMs: number;
}

/** What a customer can do about deliveries that an endpoint has missed. */
export interface CatchUpOffers {
  /** True if the receiver has accepted a delivery after the failure of an offered one. */
  answersAgain: boolean;
  /** Makes scheduled retries due. */
  retry: boolean;
  /** Starts deliveries again that have failed or were cancelled. */
  recover: boolean;
}

const timeOf = (at: string | null | undefined): number => (at ? Date.parse(at) : Number.NaN);

/**
 * Returns what to offer for an endpoint. Retries and exhausted deliveries wait for a success after their last attempt. What
 * an HTTP 410 has ended, and the events that occurred while the endpoint was disabled, are offered at once, since it is
 * enabled again. Deliveries that the receiver refused by `webhook-delivery: stop` are not offered.
 */
export function catchUpOffers(
  { succeeded, retrying, failed, whileDisabled }: MissedDeliveries,
  { autoRecover, nowMs }: Situation,
): CatchUpOffers {
  // A failed resend of a succeeded delivery is its last attempt.
  const answeredAt = timeOf(succeeded?.error === null ? succeeded.lastAttemptAt : null);
  const isAnswered = (delivery: CatchUpDeliveryFragment | undefined): boolean =>
    answeredAt > timeOf(delivery?.lastAttemptAt);
  const retry =
    isAnswered(retrying) && retrying?.waitingFor === null && timeOf(retrying.nextRetryAt) > nowMs + MINUTE_MS;
  const missed = failed.filter((delivery) =>
    delivery.failureReason === 'exhausted'
      ? !autoRecover && isAnswered(delivery)
      : delivery.failureReason === 'stopped_by_receiver' && isEndedByGone(delivery.attempts),
  );
  return {
    answersAgain: retry || missed.some(isAnswered),
    retry,
    recover: whileDisabled || missed.length > 0,
  };
}
