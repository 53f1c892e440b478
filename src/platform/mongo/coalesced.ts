import DataLoader from 'dataloader';

/**
 * Look-ups that share queries: while one is under way, what is asked for meanwhile waits and goes with the next, so
 * that a query serves many requests when there are many and one at once when there is one. Nothing is cached, and a
 * query begins after everything it serves was asked for: it sees whatever was answered before.
 *
 * @param fetch one value for each key, in their order
 */
export function coalesced<K, V>(
  fetch: (keys: readonly K[]) => Promise<V[]>,
  maxBatchSize = 500,
): (key: K) => Promise<V> {
  let busy = false;
  const waiting: (() => void)[] = [];

  const loader = new DataLoader<K, V>(
    async (keys) => {
      try {
        return await fetch(keys);
      } finally {
        const next = waiting.shift();
        if (next) setImmediate(next);
        else busy = false;
      }
    },
    {
      cache: false,
      maxBatchSize,
      batchScheduleFn(dispatch) {
        if (busy) waiting.push(dispatch);
        else {
          busy = true;
          setImmediate(dispatch);
        }
      },
    },
  );
  return (key) => loader.load(key);
}
