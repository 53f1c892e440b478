import { setImmediate } from 'node:timers/promises';

/** Time that one piece of work takes from the event loop before it yields. Milliseconds. */
const SLICE_MS = 2;

/** Returns a function that long work calls before each of its steps: it yields to requests first, and after each slice. */
export function createTimeSlice(): () => Promise<void> {
  let endsAt = 0;
  return async () => {
    if (performance.now() < endsAt) return;
    await setImmediate();
    endsAt = performance.now() + SLICE_MS;
  };
}
