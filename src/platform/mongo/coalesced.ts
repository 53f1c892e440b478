import { createBatcher } from '../batcher.ts';
import { type Runtime, systemRuntime } from '../runtime.ts';

/** Default of the maximum number of keys per query. */
const MAX_KEYS = 500;

/** For keys that callers can guess: bounds the queries, with more keys per query than a process receives in a pause. */
export const THROTTLED_LOOK_UP = { maxKeys: 5_000, pauseMs: 100 };

interface CoalescedOptions {
  maxKeys?: number;
  /** Pause between two queries, while calls accumulate for the next one. Milliseconds. */
  pauseMs?: number;
  runtime?: Runtime;
}

interface Lookup<K, V> {
  key: K;
  resolve(value: V): void;
  reject(error: unknown): void;
}

/**
 * Creates a lookup that combines concurrent calls into one query, and does not delay a single call. It caches nothing,
 * and a query begins after its calls: each call sees every write that was acknowledged before it.
 *
 * @param fetch returns the values of the keys, in the same order
 */
export function coalesced<K, V>(
  fetch: (keys: readonly K[]) => Promise<V[]>,
  { maxKeys = MAX_KEYS, pauseMs = 0, runtime = systemRuntime }: CoalescedOptions = {},
): (key: K) => Promise<V> {
  const batcher = createBatcher<Lookup<K, V>>(
    async (batch) => {
      try {
        const values = await fetch(batch.map(({ key }) => key));
        for (const [index, { resolve }] of batch.entries()) resolve(values[index] as V);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      if (pauseMs > 0) await runtime.sleep(pauseMs, { ref: false });
    },
    { max: maxKeys, runtime },
  );
  return (key) => new Promise((resolve, reject) => batcher.add({ key, resolve, reject }));
}
