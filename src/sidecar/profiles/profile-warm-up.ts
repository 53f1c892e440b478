import type { SampleSet } from '../samples/samples.types.ts';

/** Time without new reference samples after which the reference counts as complete. */
const QUIET_MS = 1_000;

/**
 * Updates the profiles in the background, so that the next check is fast. Runs once the reference has not changed for
 * a second, or for twice the duration of the previous run, which bounds the CPU share of a slow trickle of samples.
 */
export function createWarmUp(warm: () => Promise<void>, onError: (error: unknown) => void) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let quietMs = QUIET_MS;
  let stopped = false;

  async function run(): Promise<void> {
    const startedAt = performance.now();
    await warm().catch(onError);
    quietMs = Math.max(QUIET_MS, 2 * (performance.now() - startedAt));
    running = undefined;
  }

  function start(): void {
    timer = undefined;
    if (running) schedule();
    else running = run();
  }

  function schedule(): void {
    if (!stopped) timer = setTimeout(start, quietMs);
  }

  return {
    /** Schedules a run after samples of a set were added or removed. */
    onChange(set: SampleSet): void {
      if (timer && set === 'current') return;
      clearTimeout(timer);
      schedule();
    },

    /** Cancels the scheduled run and waits for the one in progress. */
    async stop(): Promise<void> {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
