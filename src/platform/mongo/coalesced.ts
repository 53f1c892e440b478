import { createBatcher } from '../batcher.ts';

/** Keys that one query looks up. */
const MAX_KEYS = 500;

interface LookUp<K, V> {
  key: K;
  resolve(value: V): void;
  reject(error: unknown): void;
}

/**
 * Look-ups that share queries, so that a query serves many requests when there are many and one at once when there
 * is one. Nothing is cached, and a query begins after everything it serves was asked for: it sees whatever was
 * answered before.
 *
 * @param fetch one value for each key, in their order
 */
export function coalesced<K, V>(fetch: (keys: readonly K[]) => Promise<V[]>): (key: K) => Promise<V> {
  const batcher = createBatcher<LookUp<K, V>>(
    async (batch) => {
      try {
        const values = await fetch(batch.map(({ key }) => key));
        for (const [index, { resolve }] of batch.entries()) resolve(values[index] as V);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    },
    { max: MAX_KEYS },
  );
  return (key) => new Promise((resolve, reject) => batcher.add({ key, resolve, reject }));
}
