import { type Runtime, systemRuntime } from '../runtime.ts';
import type { Coherence } from './coherence.ts';

/** Maximum age of a cached value, for changes that have no fence, such as counters. Milliseconds. */
const MAX_AGE_MS = 10_000;

/** Value and the time of its read, by the monotonic clock. */
export interface CacheEntry<V> {
  value: V;
  /** The value contains all changes before this time; `-Infinity` if it may not be served. */
  readAt: number;
}

/** Bounded storage of a cache, such as an `LRUCache`. */
interface CacheEntries<K, V> {
  get(key: K): CacheEntry<V> | undefined;
  set(key: K, entry: CacheEntry<V>): unknown;
}

interface CoherentCacheOptions<K, V> {
  coherence: Coherence;
  entries: CacheEntries<K, V>;
  /** Prefix of the topics of the cache: `<prefix>:<key>`. */
  prefix: string;
  toKey: (text: string) => K;
  /** Reads the current value; the read must begin after the call. Null is not cached. */
  load: (key: K) => Promise<V | null>;
  runtime?: Runtime;
}

/** Cache of values that change only through `change`; see `createCoherence`. */
export interface CoherentCache<K, V> {
  /** Returns a value that includes every change that resolved before the call. Callers share it and must not modify it. */
  get(key: K): Promise<V | null>;
  /** Makes a change of the value. */
  change<T>(key: K, make: () => Promise<T>): Promise<T>;
}

/**
 * Creates a cache. Outdated values stay in `entries`, which can serve as a memory of known keys.
 */
export function coherentCache<K extends string | number, V>({
  coherence,
  entries,
  prefix,
  toKey,
  load,
  runtime = systemRuntime,
}: CoherentCacheOptions<K, V>): CoherentCache<K, V> {
  const topicOf = (key: K): string => `${prefix}:${key}`;
  /** The load per topic whose value may be cached. */
  const loads = new Map<string, symbol>();
  /** Loads in progress whose topic has not been dropped since they began. */
  const undropped = new Map<symbol, string>();
  /** Time of the last `clear`: earlier values may not be served. */
  let clearedAt = Number.NEGATIVE_INFINITY;

  coherence.subscribe({
    drop(topic) {
      if (!topic.startsWith(`${prefix}:`)) return;
      loads.delete(topic);
      for (const [load, ofLoad] of undropped) if (ofLoad === topic) undropped.delete(load);
      const entry = entries.get(toKey(topic.slice(prefix.length + 1)));
      if (entry) entry.readAt = Number.NEGATIVE_INFINITY;
    },
    clear() {
      loads.clear();
      undropped.clear();
      clearedAt = runtime.monotonicMs();
    },
  });

  function isCurrent({ readAt }: CacheEntry<V>): boolean {
    return readAt > clearedAt && runtime.monotonicMs() - readAt < MAX_AGE_MS;
  }

  /**
   * Repeats a load if this process knows that a change resolved, or may have resolved, during it. It learns of the end of
   * another process's change with its next read of the fences.
   */
  async function read(key: K): Promise<V | null> {
    const topic = topicOf(key);
    for (;;) {
      const load = Symbol();
      const mayCache = coherence.mayCache(topic);
      undropped.set(load, topic);
      const value = await readOnce(key, topic).catch((error: unknown) => {
        undropped.delete(load);
        throw error;
      });
      const isDropped = !undropped.delete(load);
      if (!isDropped && mayCache === coherence.mayCache(topic)) return value;
    }
  }

  async function readOnce(key: K, topic: string): Promise<V | null> {
    const readAt = runtime.monotonicMs();
    const token = Symbol();
    // Only the first of concurrent loads is cached.
    if (coherence.mayCache(topic) && !loads.has(topic)) loads.set(topic, token);
    const isCacheable = () => loads.get(topic) === token;
    try {
      const value = await load(key);
      if (value === null) return null;
      if (isCacheable()) entries.set(key, { value, readAt });
      else if (!entries.get(key)) entries.set(key, { value, readAt: Number.NEGATIVE_INFINITY });
      return value;
    } finally {
      if (isCacheable()) loads.delete(topic);
    }
  }

  return {
    async get(key) {
      if (coherence.isLeased()) {
        const entry = entries.get(key);
        if (entry && isCurrent(entry)) return entry.value;
      }
      return read(key);
    },
    change: (key, make) => coherence.change([topicOf(key)], make),
  };
}
