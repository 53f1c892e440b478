import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks again only when the last answer is older than `freshMs`; who asks meanwhile gets the same one. Null where the
 * question failed or took longer than `withinMs`: a page of numbers is of use without some of them, most of all when
 * the database is down.
 */
export function recently<T>(
  ask: () => Promise<T>,
  freshMs: number,
  withinMs: number,
): () => Promise<T | null> {
  let answer: Promise<T | null> = Promise.resolve(null);
  let askedAt = -Infinity;
  return () => {
    if (performance.now() - askedAt > freshMs) {
      askedAt = performance.now();
      const late = new AbortController();
      answer = Promise.race([
        ask()
          .catch(() => null)
          .finally(() => late.abort()),
        sleep(withinMs, null, { signal: late.signal, ref: false }).catch(() => null),
      ]);
    }
    return answer;
  };
}
