import { LRUCache } from 'lru-cache';
import type { RateLimit } from '../../config.ts';
import { AppError } from '../../errors/app-error.ts';
import type { QuotaState, SharedQuota } from '../../platform/mongo/shared-quota.ts';
import type { Exchange } from '../exchange.ts';

/** Limit on failed authentications per client address; generous, since many clients may share an address. */
const FAILURE_LIMIT: RateLimit = { requests: 300, windowMs: 60_000 };
const MAX_NETWORKS = 10_000;

const rateLimited = (retryAfterSeconds: number) =>
  new AppError('RATE_LIMITED', 'Rate limit exceeded; retry after the time in Retry-After.', {
    retryAfter: retryAfterSeconds,
  });

/** Limits the requests of each API key and reports the remaining quota to the client. */
export function keyLimiter(quota: SharedQuota) {
  const { requests, windowMs } = quota.limit;
  const policy = `"default";q=${requests};w=${Math.ceil(windowMs / 1000)}`;

  /** Headers of draft-ietf-httpapi-ratelimit-headers: the names of version 06, and those of version 10. */
  function headersOf({ remaining, resetMs }: QuotaState): string[] {
    const resetSeconds = Math.ceil(resetMs / 1000);
    return [
      ...['RateLimit-Limit', String(requests)],
      ...['RateLimit-Remaining', String(remaining)],
      ...['RateLimit-Reset', String(resetSeconds)],
      ...['RateLimit-Policy', policy],
      ...['RateLimit', `"default";r=${remaining};t=${resetSeconds}`],
    ];
  }

  /**
   * Counts one request and lets its operation charge more; adds the headers to every response of the exchange.
   * @throws AppError RATE_LIMITED
   */
  return async (exchange: Exchange, keyId: string): Promise<void> => {
    async function charge(points: number): Promise<void> {
      const state = await quota.take(keyId, points);
      exchange.quotaHeaders = headersOf(state);
      if (!state.granted) throw rateLimited(state.resetMs / 1000);
    }
    exchange.charge = charge;
    await charge(1);
  };
}

interface FailureWindow {
  failures: number;
  /** Milliseconds of `performance.now()`. */
  endsAt: number;
}

/**
 * Limits failed authentications per client network. Counts at most `MAX_NETWORKS`: further ones evict those that
 * failed least recently.
 */
export function failureLimiter({ requests, windowMs }: RateLimit = FAILURE_LIMIT) {
  const windows = new LRUCache<string, FailureWindow>({ max: MAX_NETWORKS });

  function currentWindow(network: string): FailureWindow | undefined {
    const window = windows.get(network);
    return window && window.endsAt > performance.now() ? window : undefined;
  }

  return {
    isExceeded: (network: string): boolean => (currentWindow(network)?.failures ?? 0) >= requests,

    /**
     * Counts one failure.
     * @throws AppError RATE_LIMITED
     */
    count(network: string): void {
      const window = currentWindow(network) ?? { failures: 0, endsAt: performance.now() + windowMs };
      window.failures += 1;
      windows.set(network, window);
      if (window.failures > requests) throw rateLimited((window.endsAt - performance.now()) / 1000);
    },
  };
}
