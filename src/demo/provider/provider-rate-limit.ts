const MINUTE_MS = 60_000;

/** Creates a rate limit per API key over a sliding window of one minute. */
export function createRateLimit(perMinute: number) {
  const recent = new Map<string, number[]>();

  return {
    /** Counts a request; returns null if it is allowed, else the seconds until the next one is. */
    hit(key: string, nowMs: number): number | null {
      const times = (recent.get(key) ?? []).filter((at) => at > nowMs - MINUTE_MS);
      recent.set(key, times);
      const [oldest] = times;
      if (oldest !== undefined && times.length >= perMinute)
        return Math.ceil((oldest + MINUTE_MS - nowMs) / 1000);
      times.push(nowMs);
      return null;
    },
  };
}
