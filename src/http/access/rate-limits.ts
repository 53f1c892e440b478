import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimit } from '../../config.ts';
import { AppError } from '../../errors/app-error.ts';
import type { Exchange } from '../exchange.ts';

/** Limit on failed authentications per client address; generous, since many clients may share an address. */
const FAILURE_LIMIT: RateLimit = { requests: 300, windowMs: 60_000 };
const MAX_NETWORKS = 10_000;

const rateLimited = (retryAfterSeconds: number) =>
  new AppError('RATE_LIMITED', 'Rate limit exceeded; retry after the time in Retry-After.', {
    retryAfter: retryAfterSeconds,
  });

/** Limits the requests of each API key in this process and reports the remaining quota to the client. */
export function keyLimiter(limit: RateLimit) {
  const limiter = new RateLimiterMemory({
    points: limit.requests,
    duration: limit.windowMs / 1000,
    keyPrefix: '',
  });
  const total = String(limit.requests);
  return {
    /**
     * Counts one request and adds the `RateLimit-*` headers (draft-ietf-httpapi-ratelimit-headers-06).
     * @throws AppError RATE_LIMITED
     */
    async count(exchange: Exchange, keyId: string): Promise<void> {
      const state = await limiter.consume(keyId).catch((rejection: unknown) => rejection);
      if (!(state instanceof RateLimiterRes)) throw state;
      const resetSeconds = Math.ceil(state.msBeforeNext / 1000);
      exchange.headers.push('RateLimit-Limit', total, 'RateLimit-Remaining', String(state.remainingPoints));
      exchange.headers.push('RateLimit-Reset', String(resetSeconds));
      if (state.consumedPoints > limit.requests) throw rateLimited(resetSeconds);
    },
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
