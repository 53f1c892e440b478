import type { SampleSet } from '../samples/samples.types.ts';

/** Milliseconds without new reference samples after which a reference counts as complete. */
const QUIET_MS = 1_000;

/**
 * Prepares in the background what the next check will need: once the reference is complete, that is, has not changed
 * for a second (or for twice as long as the last time took, so that a slow trickle cannot keep the processor busy).
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
    /** Samples of a set were added or removed. */
    changed(set: SampleSet): void {
      if (timer && set === 'current') return;
      clearTimeout(timer);
      schedule();
    },

    /** Starts nothing more, and waits for what runs. */
    async stop(): Promise<void> {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
