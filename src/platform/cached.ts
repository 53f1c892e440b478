/**
 * Caches the result of `load` for `maxAgeMs`, and shares it among concurrent callers.
 * @param now time in milliseconds, which may be set back
 */
export function cached<T>(
  load: () => Promise<T>,
  maxAgeMs: number,
  now: () => number = () => performance.now(),
): () => Promise<T> {
  let latest: { startedAt: number; result: Promise<T> } | undefined;
  return () => {
    const startedAt = now();
    if (!latest || Math.abs(startedAt - latest.startedAt) >= maxAgeMs) latest = { startedAt, result: load() };
    return latest.result;
  };
}
