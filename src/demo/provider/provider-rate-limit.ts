const MINUTE = 60_000;

/** So many requests of one key in any minute, as the provider allows. */
export function createRateLimit(perMinute: number) {
  const recent = new Map<string, number[]>();

  return {
    /** Counts a request at `now` (milliseconds); null when it is allowed, else the seconds until one is. */
    hit(key: string, now: number): number | null {
      const times = (recent.get(key) ?? []).filter((at) => at > now - MINUTE);
      recent.set(key, times);
      const [oldest] = times;
      if (oldest !== undefined && times.length >= perMinute) return Math.ceil((oldest + MINUTE - now) / 1000);
      times.push(now);
      return null;
    },
  };
}
