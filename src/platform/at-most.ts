/** Calls `work` with each item, in order and at most `max` at a time. Rejects with the first error, and begins no other item after it. */
export async function atMost<T>(
  max: number,
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const remaining = items[Symbol.iterator]();
  let hasFailed = false;
  const workOff = async (): Promise<void> => {
    for (let next = remaining.next(); !next.done && !hasFailed; next = remaining.next())
      await work(next.value).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
  };
  await Promise.all(Array.from({ length: max }, workOff));
}
