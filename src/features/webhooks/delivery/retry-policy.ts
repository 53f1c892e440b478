import { parseRetryAfter } from '../../../platform/retry-after.ts';
import { MAX_ATTEMPTS, STATUSES_WITH_RETRY_AFTER } from '../../../shared/delivery-attempts.ts';

/**
 * Attempt 1 starts immediately when the event is accepted, attempt 2 immediately after attempt 1 fails, and attempts 3, 4
 * and 5 after the three delays of `WEBHOOK_RETRY_DELAYS` (`src/config/config.ts`), by default 5 minutes, 30 minutes and 2
 * hours.
 */
export const INLINE_ATTEMPTS = 2;

/** Delays before attempts 3, 4 and 5, in milliseconds. */
export type RetryDelays = readonly [number, number, number];

/** Each delay is shifted by up to this share at random, so that deliveries that failed together spread out. */
const JITTER = 0.1;
/** `Retry-After` stretches a delay up to this factor, without the jitter, which makes it later. */
const MAX_STRETCH = 2;

export interface FailedAttempt {
  /** Number of the attempt that failed. */
  attempt: number;
  responseStatus: number | null;
  /** Value of the response's `Retry-After` header. */
  retryAfter: string | undefined;
}

export interface RetryPolicy {
  delays: RetryDelays;
  /** Returns a number from 0 to 1. */
  random: () => number;
}

/** Returns the longest time that the delays between the attempts of a delivery take together. Milliseconds. */
export const longestDeliveryMs = (delays: RetryDelays): number =>
  Math.ceil(MAX_STRETCH * (1 + JITTER) * delays.reduce((sum, delay) => sum + delay, 0));

/** Returns the time of the next attempt: `now` for an inline one; null when the attempts are exhausted. */
export function nextAttemptAt(
  failed: FailedAttempt,
  now: Date,
  { delays, random }: RetryPolicy,
): Date | null {
  const { attempt, responseStatus, retryAfter } = failed;
  if (attempt >= MAX_ATTEMPTS) return null;
  if (attempt < INLINE_ATTEMPTS) return now;
  const delay = delays[attempt - INLINE_ATTEMPTS] ?? 0;
  const requested = STATUSES_WITH_RETRY_AFTER.includes(responseStatus ?? 0)
    ? Math.min(parseRetryAfter(retryAfter, now) ?? 0, MAX_STRETCH * delay)
    : 0;
  const share = random();
  const configured = delay * (1 + JITTER * (2 * share - 1));
  // Later than the receiver asks for, never earlier: those that it has refused together would return together.
  const asked = requested * (1 + JITTER * share);
  return new Date(now.getTime() + Math.round(Math.max(configured, asked)));
}
