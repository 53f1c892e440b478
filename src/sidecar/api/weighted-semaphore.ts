/**
 * Creates a semaphore that runs tasks while their total cost is at most `capacity`; other tasks wait in FIFO order. A
 * cost above `capacity` counts as `capacity`.
 */
export function weightedSemaphore(capacity: number): <T>(cost: number, task: () => Promise<T>) => Promise<T> {
  const queue: { cost: number; start: () => void }[] = [];
  let available = capacity;

  function startNext(): void {
    for (let head = queue[0]; head && head.cost <= available; head = queue[0]) {
      queue.shift();
      available -= head.cost;
      head.start();
    }
  }

  return async (requestedCost, task) => {
    const cost = Math.min(requestedCost, capacity);
    await new Promise<void>((start) => {
      queue.push({ cost, start });
      startNext();
    });
    try {
      return await task();
    } finally {
      available += cost;
      startNext();
    }
  };
}
