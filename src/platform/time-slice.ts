import { setImmediate } from 'node:timers/promises';

/** Time after which one piece of work yields: less than the parser takes for the JSON of a page. Milliseconds. */
const SLICE_MS = 5;

/** Returns a function that long work calls before each of its steps: it yields first, and after each time slice. */
export function createTimeSlice(): () => Promise<void> {
  let endsAt = 0;
  return async () => {
    if (performance.now() < endsAt) return;
    await setImmediate();
    endsAt = performance.now() + SLICE_MS;
  };
}
