import { parseRetryAfter } from '../../../platform/retry-after.ts';

/** Delays before each retry; exhausted after the last one (contract 10). */
const DELAYS_MS = [1_000, 2_000, 4_000, 8_000, 16_000];
/** Consecutive 429s that fail the call; the last one fails it at once. */
const MAX_RATE_LIMITED = 5;
/** Longest `Retry-After` that a call waits for. */
const MAX_WAIT_MS = 15 * 60_000;

/** A failed attempt that may be retried. */
export interface FailedAttempt {
  /** `rate_limited`: HTTP 429; `broken`: a 5xx, a broken connection or a truncated body. */
  type: 'rate_limited' | 'broken';
  retryAfter: string | undefined;
}

/** Decision after a failed attempt: retry after a wait, or fail. */
export type RetryDecision =
  | { type: 'retry'; waitMs: number; reason: 'retry_after' | 'backoff' }
  /** `retryAfter`: time that the provider named; null if it named none. */
  | { type: 'fail'; retryAfter: Date | null };

/**
 * Creates the retry policy of one call. 429s count while consecutive; broken attempts count over the whole call, so
 * that a provider that alternates between both also exhausts it.
 */
export function createCallRetries() {
  let rateLimited = 0;
  let broken = 0;

  /** Returns undefined when exhausted. `Retry-After` replaces the delay of a 429 and can only extend that of a 5xx. */
  function delayMsOf(type: FailedAttempt['type'], retryAfterMs: number | undefined): number | undefined {
    if (type === 'rate_limited') {
      rateLimited += 1;
      const delayMs = rateLimited < MAX_RATE_LIMITED ? DELAYS_MS[rateLimited - 1] : undefined;
      return delayMs === undefined ? undefined : (retryAfterMs ?? delayMs);
    }
    rateLimited = 0;
    broken += 1;
    const delayMs = DELAYS_MS[broken - 1];
    return delayMs === undefined ? undefined : Math.max(delayMs, retryAfterMs ?? 0);
  }

  return {
    after({ type, retryAfter }: FailedAttempt, now: Date): RetryDecision {
      const retryAfterMs = parseRetryAfter(retryAfter, now) ?? undefined;
      const waitMs = delayMsOf(type, retryAfterMs);
      if (waitMs !== undefined && waitMs <= MAX_WAIT_MS)
        return { type: 'retry', waitMs, reason: waitMs === retryAfterMs ? 'retry_after' : 'backoff' };
      return {
        type: 'fail',
        retryAfter: retryAfterMs === undefined ? null : new Date(now.getTime() + retryAfterMs),
      };
    },
  };
}
