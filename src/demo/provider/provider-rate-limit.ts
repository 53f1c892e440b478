const MINUTE_MS = 60_000;

interface Options {
  /** Requests per window and key. */
  limit: number;
  windowMs?: number;
}

/** State of a key's limit after a request. */
export interface RateLimitState {
  refused: boolean;
  limit: number;
  remaining: number;
  /** Seconds until the oldest request leaves the window. */
  resetSeconds: number;
}

/** Creates a rate limit per API key over a sliding window. */
export function createRateLimit({ limit, windowMs = MINUTE_MS }: Options) {
  const recent = new Map<string, number[]>();

  return {
    /** Counts a request unless it exceeds the limit. */
    hit(key: string, nowMs: number): RateLimitState {
      const times = (recent.get(key) ?? []).filter((at) => at > nowMs - windowMs);
      recent.set(key, times);
      const refused = times.length >= limit;
      if (!refused) times.push(nowMs);
      return {
        refused,
        limit,
        remaining: limit - times.length,
        resetSeconds: Math.ceil(((times[0] ?? nowMs) + windowMs - nowMs) / 1000),
      };
    },
  };
}
