import { AsyncLocalStorage } from 'node:async_hooks';
import { type Runtime, systemRuntime } from './runtime.ts';

/** Processes items in batches. While `parallel` batches are in progress, arriving items form the next batch. */
export interface Batcher<T> {
  add(item: T): void;
  /** Number of items whose batch has not started. */
  backlog(): number;
  /** Removes and returns the items whose batch has not started. */
  takeBacklog(): T[];
  /** Resolves when no item is queued and no batch is in progress. */
  idle(): Promise<void>;
}

interface BatcherOptions {
  /** Maximum number of items in a batch. */
  max: number;
  /** Maximum number of batches in progress; 1 by default. */
  parallel?: number;
  runtime?: Runtime;
}

/**
 * Longest time that a batch waits to reach the size of the previous one, in milliseconds: long enough for a wave of
 * concurrent requests to arrive together again, short compared with a commit.
 */
const LINGER_MS = 3;
/** After this time without a batch, the next item starts at once: it belongs to no wave. Milliseconds. */
const WAVE_MS = 20;

/**
 * Shares round trips among concurrent callers. A single item starts at once. Items that arrived together tend to arrive
 * together again, so a batch waits until it is as large as the previous one: otherwise the first item of each wave would
 * be processed alone, and every wave would cost two round trips.
 *
 * @param run processes a batch; must not reject, but report failures to the owners of the items
 */
export function createBatcher<T>(
  run: (batch: T[]) => Promise<void>,
  { max, parallel = 1, runtime = systemRuntime }: BatcherOptions,
): Batcher<T> {
  let items: T[] = [];
  /** Batches that are scheduled or in progress. */
  let running = 0;
  /** True while a batch is scheduled: items that arrive join it. */
  let scheduled = false;
  let lastSize = 1;
  let lastEndedAt = 0;
  let cancelTimer: (() => void) | undefined;
  const idleWaiters: (() => void)[] = [];
  // A batch serves many callers, so it runs in the context in which the batcher was created.
  const outside = AsyncLocalStorage.snapshot();

  const isIdle = () => running === 0 && items.length === 0;

  function startWhenFull(): void {
    if (scheduled || running === parallel || items.length === 0) return;
    const isAlone = running === 0 && runtime.monotonicMs() - lastEndedAt > WAVE_MS;
    if (isAlone || items.length >= Math.min(lastSize, max)) start();
    else cancelTimer ??= runtime.after(LINGER_MS, start);
  }

  function start(): void {
    cancelTimer?.();
    cancelTimer = undefined;
    running += 1;
    scheduled = true;
    // Deferred: items added in the same turn of the event loop join the batch.
    outside(runtime.soon, async () => {
      const batch = items.slice(0, max);
      items = items.slice(max);
      lastSize = batch.length;
      scheduled = false;
      startWhenFull();
      await run(batch);
      running -= 1;
      lastEndedAt = runtime.monotonicMs();
      startWhenFull();
      if (isIdle()) for (const resolve of idleWaiters.splice(0)) resolve();
    });
  }

  return {
    add(item) {
      items.push(item);
      startWhenFull();
    },
    backlog: () => items.length,
    takeBacklog: () => items.splice(0),
    idle: () => (isIdle() ? Promise.resolve() : new Promise((resolve) => idleWaiters.push(resolve))),
  };
}
