import { LRUCache } from 'lru-cache';
import { AppError } from '../errors/app-error.ts';
import type { Exchange } from '../http/exchange.ts';
import { type ClientLimits, MAX_NETWORKS } from './client-limits.ts';
import type { QuotaState, SharedQuota } from './shared-quota.ts';

/** Failed authentications of a client address per minute; generous, since many clients may share an address. */
const MAX_FAILURES = 300;

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

/** Limits failed authentications per client network. */
export function failureLimiter(limits: Pick<ClientLimits, 'countFailure'>) {
  /** Ends of the windows, by network, in which the limit is reached; milliseconds of `performance.now()`. */
  const reachedUntil = new LRUCache<string, number>({ max: MAX_NETWORKS });

  return {
    isExceeded: (network: string): boolean => (reachedUntil.get(network) ?? 0) > performance.now(),

    /**
     * Counts one failure.
     * @throws AppError RATE_LIMITED
     */
    async count(network: string): Promise<void> {
      const { failures, endsInMs } = await limits.countFailure(network);
      if (failures >= MAX_FAILURES) reachedUntil.set(network, performance.now() + endsInMs);
      if (failures > MAX_FAILURES) throw rateLimited(endsInMs / 1000);
    },
  };
}
