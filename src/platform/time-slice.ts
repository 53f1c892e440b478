import { setImmediate } from 'node:timers/promises';

/** Longest time that work in the background keeps requests waiting. Milliseconds. */
const SLICE_MS = 5;

/** Returns a function that long work calls between its steps: it yields to requests once the time slice is used up. */
export function createTimeSlice(): () => Promise<void> {
  let startedAt = performance.now();
  return async () => {
    if (performance.now() - startedAt < SLICE_MS) return;
    await setImmediate();
    startedAt = performance.now();
  };
}
