import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves with the first of a promise, a time limit and a signal. */
export async function firstOf(
  promise: Promise<void>,
  ms: number,
  signals: readonly AbortSignal[],
): Promise<void> {
  const end = new AbortController();
  const timeout = sleep(ms, undefined, { signal: AbortSignal.any([...signals, end.signal]) });
  await Promise.race([promise, timeout.catch(() => {})]);
  end.abort();
}
