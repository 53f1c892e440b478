/**
 * Caches the result of `load` for `maxAgeMs`, and shares it among concurrent callers.
 * @param now monotonic time in milliseconds
 */
export function cached<T>(
  load: () => Promise<T>,
  maxAgeMs: number,
  now: () => number = () => performance.now(),
): () => Promise<T> {
  let latest: { startedAt: number; result: Promise<T> } | undefined;
  return () => {
    const startedAt = now();
    if (!latest || startedAt - latest.startedAt >= maxAgeMs) latest = { startedAt, result: load() };
    return latest.result;
  };
}
