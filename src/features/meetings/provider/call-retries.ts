import { parseRetryAfter } from '../../../platform/retry-after.ts';

/** Milliseconds before each further try; after the last one there is none (contract 10). */
const DELAYS = [1_000, 2_000, 4_000, 8_000, 16_000];
/** The fifth 429 in a row fails the call at once, so its delay is never waited for. */
const MAX_RATE_LIMITED = 5;
/** A provider that wants more than this is not waited for. */
const MAX_WAIT = 15 * 60_000;

/** What a try came to, when it may be made again. */
export type Setback =
  | { kind: 'rate_limited'; retryAfter: string | undefined }
  /** A 5xx, a broken connection, or an answer cut short. */
  | { kind: 'broken'; retryAfter: string | undefined };

/** Wait so long and try again, or give up; then `until` is when the provider wants to be asked again, if it said so. */
export type Verdict = { again: true; waitMs: number } | { again: false; until: Date | null };

/**
 * How often and how late one call is tried again. 429s count while nothing else comes between them; broken tries
 * count for the whole call, so that a provider which does both has an end too.
 */
export function createRetries() {
  let rateLimited = 0;
  let broken = 0;

  /** `Retry-After` overrides the delay of a 429; a 5xx with one is left alone for the longer of both. */
  function delayOf(kind: Setback['kind'], asked: number | null): number | undefined {
    if (kind === 'rate_limited') {
      rateLimited += 1;
      const delay = rateLimited < MAX_RATE_LIMITED ? DELAYS[rateLimited - 1] : undefined;
      return delay === undefined ? undefined : (asked ?? delay);
    }
    rateLimited = 0;
    broken += 1;
    const delay = DELAYS[broken - 1];
    return delay === undefined ? undefined : Math.max(delay, asked ?? 0);
  }

  return {
    after({ kind, retryAfter }: Setback, now: Date): Verdict {
      const asked = parseRetryAfter(retryAfter, now);
      const waitMs = delayOf(kind, asked);
      if (waitMs !== undefined && waitMs <= MAX_WAIT) return { again: true, waitMs };
      return { again: false, until: asked === null ? null : new Date(now.getTime() + asked) };
    },
  };
}
