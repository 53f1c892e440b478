import { AsyncLocalStorage } from 'node:async_hooks';

/** Runs things in batches: one batch at a time, and what comes in meanwhile goes with the next. */
export interface Batcher<T> {
  add(item: T): void;
  /** Items of which the batch has not begun. */
  waiting(): number;
  /** Resolves when nothing waits and no batch is under way. */
  idle(): Promise<void>;
}

interface BatcherOptions {
  /** Most items of a batch. */
  max: number;
  /** How long a batch may wait for as many items as the last one had. Milliseconds. */
  lingerMs?: number;
}

/** Long enough for a wave of requests that came together to come together again, short beside a commit. */
const LINGER_MS = 3;

/**
 * What a round trip costs is the trip, not what is in it. An item that comes alone goes at once. Items that came
 * together tend to come together again, so a batch waits a moment for as many as the last one had: without that the
 * first of a wave goes alone, and each wave costs twice the trips.
 *
 * @param run must not reject: it tells each item's owner of its failure itself
 */
export function createBatcher<T>(
  run: (batch: T[]) => Promise<void>,
  { max, lingerMs = LINGER_MS }: BatcherOptions,
): Batcher<T> {
  let items: T[] = [];
  let busy = false;
  let lastSize = 1;
  let timer: NodeJS.Timeout | undefined;
  const idleWaiters: (() => void)[] = [];
  // What is done for many belongs to none of them: it runs where the batcher was made, not where an item was added.
  const outside = AsyncLocalStorage.snapshot();

  function consider(): void {
    if (busy || items.length === 0) return;
    if (items.length >= Math.min(lastSize, max)) begin();
    else timer ??= setTimeout(begin, lingerMs);
  }

  function begin(): void {
    clearTimeout(timer);
    timer = undefined;
    busy = true;
    // What is asked for in the same turn of the event loop goes along.
    outside(setImmediate, async () => {
      const batch = items.slice(0, max);
      items = items.slice(max);
      lastSize = batch.length;
      await run(batch);
      busy = false;
      consider();
      if (!busy && items.length === 0) for (const done of idleWaiters.splice(0)) done();
    });
  }

  return {
    add(item) {
      items.push(item);
      consider();
    },
    waiting: () => items.length,
    idle: () =>
      busy || items.length > 0 ? new Promise((resolve) => idleWaiters.push(resolve)) : Promise.resolve(),
  };
}
