import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

/** Default wait for what must happen at some time: longer than the delays on a loaded machine. */
export const LIVENESS_TIMEOUT_MS = 60_000;

const MIN_INTERVAL_MS = 20;
const MAX_INTERVAL_MS = 100;
/** Part of the time waited so far that may pass until the next check: a check costs CPU time that the service needs. */
const INTERVAL_SHARE = 0.05;

/**
 * Waits until `check` returns a truthy value, and returns that value. A check that throws counts as not yet true, so
 * it may contain assertions.
 *
 * @throws Error with the last value or the last error of the check when it times out
 */
export async function eventually<T>(
  check: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  timeoutMs = 30_000,
): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    let last: { value: unknown } | { error: unknown };
    try {
      const value = await check();
      if (value) return value;
      last = { value };
    } catch (error) {
      last = { error };
    }
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > timeoutMs) throw timedOut(timeoutMs, last);
    await sleep(Math.min(Math.max(INTERVAL_SHARE * waitedMs, MIN_INTERVAL_MS), MAX_INTERVAL_MS));
  }
}

function timedOut(timeoutMs: number, last: { value: unknown } | { error: unknown }): Error {
  const waited = `The condition did not become true within ${timeoutMs} ms`;
  if ('value' in last) return new Error(`${waited}; its last value was ${inspect(last.value)}.`);
  const reason = last.error instanceof Error ? last.error.message : inspect(last.error);
  return new Error(`${waited}; its last error was: ${reason}`, { cause: last.error });
}
