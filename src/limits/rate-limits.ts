import { LRUCache } from 'lru-cache';
import { AppError } from '../errors/app-error.ts';
import { LIMITS } from './limits.ts';
import type { QuotaState, SharedQuota } from './shared-quota.ts';

/** Generous, since many clients may share an address. */
const MAX_FAILURES = LIMITS.failedAuthentications.default;
const FAILURE_WINDOW_MS = 60_000;
/** Client networks whose failures are remembered. One more evicts the network whose latest failure is oldest. */
const MAX_NETWORKS = 10_000;

const rateLimited = (retryAfterSeconds: number) =>
  new AppError('RATE_LIMITED', 'Rate limit exceeded; retry after the time in Retry-After.', {
    retryAfter: retryAfterSeconds,
  });

/** A request whose response reports the quota of its key. */
interface Scope {
  headers: Record<string, string>;
}

/** Limits the requests of each API key and reports the remaining quota to the client. */
export function keyLimiter(quota: SharedQuota) {
  const { requests, windowMs } = quota.limit;
  const policy = `"default";q=${requests};w=${Math.ceil(windowMs / 1000)}`;

  /** Headers of draft-ietf-httpapi-ratelimit-headers: with the names of versions 06 and 10. */
  function headersOf({ remaining, resetMs }: QuotaState): Record<string, string> {
    const resetSeconds = Math.ceil(resetMs / 1000);
    return {
      'ratelimit-limit': String(requests),
      'ratelimit-remaining': String(remaining),
      'ratelimit-reset': String(resetSeconds),
      'ratelimit-policy': policy,
      ratelimit: `"default";r=${remaining};t=${resetSeconds}`,
    };
  }

  /**
   * Takes points from the quota of a key and adds its headers to the response.
   * @throws AppError RATE_LIMITED
   */
  return async (scope: Scope, keyId: string, points: number): Promise<void> => {
    const state = await quota.take(keyId, points);
    Object.assign(scope.headers, headersOf(state));
    if (!state.granted) throw rateLimited(state.resetMs / 1000);
  };
}

/** Failed authentications of a client network in the current window. */
export interface FailureWindow {
  failures: number;
  endsInMs: number;
}

/** Counts a failed authentication of a client network, or of a webhook, and returns the window with it. */
export type CountFailure = (network: string) => FailureWindow | Promise<FailureWindow>;

/** Creates the count of one process; the workers of a service share the count of their primary. */
export function createFailureCounter() {
  const windows = new LRUCache<string, { failures: number; endsAt: number }>({ max: MAX_NETWORKS });
  return (network: string): FailureWindow => {
    const now = performance.now();
    const current = windows.get(network);
    const window =
      current && current.endsAt > now ? current : { failures: 0, endsAt: now + FAILURE_WINDOW_MS };
    window.failures += 1;
    windows.set(network, window);
    return { failures: window.failures, endsInMs: window.endsAt - now };
  };
}

/** Limits failed authentications per client network. */
export function failureLimiter(countFailure: CountFailure) {
  /** When a blocked network may try again, by network; milliseconds of `performance.now()`. */
  const reachedUntil = new LRUCache<string, number>({ max: MAX_NETWORKS });

  return {
    isExceeded: (network: string): boolean => (reachedUntil.get(network) ?? 0) > performance.now(),

    /**
     * Counts one failure.
     * @throws AppError RATE_LIMITED
     */
    async count(network: string): Promise<void> {
      const { failures, endsInMs } = await countFailure(network);
      if (failures >= MAX_FAILURES) reachedUntil.set(network, performance.now() + endsInMs);
      if (failures > MAX_FAILURES) throw rateLimited(endsInMs / 1000);
    },
  };
}
