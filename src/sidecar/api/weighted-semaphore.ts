/**
 * Runs tasks whose costs add up to at most `size`; the others wait in order of arrival. A cost above `size` counts as
 * `size`.
 */
export function weightedSemaphore(size: number): <T>(cost: number, work: () => Promise<T>) => Promise<T> {
  const waiting: { cost: number; begin: () => void }[] = [];
  let free = size;

  function next(): void {
    for (let first = waiting[0]; first && first.cost <= free; first = waiting[0]) {
      waiting.shift();
      free -= first.cost;
      first.begin();
    }
  }

  return async (wanted, work) => {
    const cost = Math.min(wanted, size);
    await new Promise<void>((begin) => {
      waiting.push({ cost, begin });
      next();
    });
    try {
      return await work();
    } finally {
      free += cost;
      next();
    }
  };
}
