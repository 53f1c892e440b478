/**
 * Lets work run at a time that takes so much of something together; the rest waits in the order in which it came.
 * What takes more than there is takes all of it.
 */
export function budget(size: number): <T>(cost: number, work: () => Promise<T>) => Promise<T> {
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
