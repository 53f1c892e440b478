import { setTimeout as sleep } from 'node:timers/promises';

interface CachedQueryOptions<T> {
  query: () => Promise<T>;
  /** Time for which a result is reused. */
  maxAgeMs: number;
  timeoutMs: number;
}

/**
 * Caches the result of a query, and shares it among concurrent callers. The result is null if the query fails or times
 * out: `GET /metrics` then omits some series, but stays available while the database is down.
 */
export function cachedQuery<T>({
  query,
  maxAgeMs,
  timeoutMs,
}: CachedQueryOptions<T>): () => Promise<T | null> {
  let result: Promise<T | null> = Promise.resolve(null);
  let startedAt = -Infinity;
  return () => {
    if (performance.now() - startedAt > maxAgeMs) {
      startedAt = performance.now();
      const timeout = new AbortController();
      result = Promise.race([
        query()
          .catch(() => null)
          .finally(() => timeout.abort()),
        sleep(timeoutMs, null, { signal: timeout.signal, ref: false }).catch(() => null),
      ]);
    }
    return result;
  };
}
