import { type Runtime, systemRuntime } from './runtime.ts';

/** Length of the pause, as a share of the batch's duration. */
const PAUSE_SHARE = 0.5;

/**
 * Waits after a batch of a background job, in proportion to the batch's duration, so that a long backlog leaves the
 * process and the database time for requests.
 *
 * @param startedAt monotonic time at the start of the batch
 */
export const pauseAfterBatch = (startedAt: number, runtime: Runtime = systemRuntime): Promise<void> =>
  runtime.sleep((runtime.monotonicMs() - startedAt) * PAUSE_SHARE, { ref: false });
