/** Calls `work` with each item, in order and at most `max` at a time. Rejects with the first error. */
export async function atMost<T>(
  max: number,
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const remaining = items[Symbol.iterator]();
  const workOff = async (): Promise<void> => {
    for (let next = remaining.next(); !next.done; next = remaining.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: max }, workOff));
}
