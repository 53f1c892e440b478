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

/** Maps the items of a list one after the other, and yields after each time slice. */
export async function mapInSlices<T, R>(items: Iterable<T>, map: (item: T) => R | Promise<R>): Promise<R[]> {
  const yieldToRequests = createTimeSlice();
  const mapped: R[] = [];
  for (const item of items) {
    await yieldToRequests();
    mapped.push(await map(item));
  }
  return mapped;
}
