import { setImmediate } from 'node:timers/promises';

/** Time after which long work yields. Shorter is of no use: `JSON.parse` of a page blocks longer. Milliseconds. */
const SLICE_MS = 5;

/** Returns a function for long work to call before each step: it yields at the first call, and after each time slice. */
export function createTimeSlice(): () => Promise<void> {
  let endsAt = 0;
  return async () => {
    if (performance.now() < endsAt) return;
    await setImmediate();
    endsAt = performance.now() + SLICE_MS;
  };
}
