import { setTimeout as sleep } from 'node:timers/promises';

/** Returns the result of `work`; null if it fails or takes longer than `timeoutMs`. Never rejects. */
export function nullAfter<T>(timeoutMs: number, work: () => Promise<T>): Promise<T | null> {
  const timeout = new AbortController();
  return Promise.race([
    work()
      .catch(() => null)
      .finally(() => timeout.abort()),
    sleep(timeoutMs, null, { signal: timeout.signal, ref: false }).catch(() => null),
  ]);
}
