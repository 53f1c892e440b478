import { setTimeout as sleep } from 'node:timers/promises';
import { isUnavailable } from './unavailable.ts';

/** Time for which an action of a start is repeated: longer than any election, and than waits on a busy machine. Milliseconds. */
const TIMEOUT_MS = 30_000;
const RETRY_DELAY_MS = 200;

/**
 * Repeats an action of a start that an election ends: the driver retries no commands that create collections or indexes.
 *
 * Rejects if it still fails half a minute after its first failure.
 */
export async function untilAvailable<T>(action: () => Promise<T>): Promise<T> {
  for (let deadline = Infinity; ; ) {
    try {
      return await action();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      deadline = Math.min(deadline, performance.now() + TIMEOUT_MS);
      if (performance.now() >= deadline) throw error;
      await sleep(RETRY_DELAY_MS);
    }
  }
}
