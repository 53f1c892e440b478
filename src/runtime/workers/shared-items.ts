import { nullAfter } from '../../platform/null-after.ts';
import type { SharedItem } from './worker-calls.ts';

/** Time limit for the response of a worker, which may hang or have exited. */
const RECALL_TIMEOUT_MS = 1_000;

/** Makes a worker release the reserved items of a key that it does not use, and resolves to their number. */
type Recall = (worker: number, key: string) => Promise<number>;

/**
 * Reservations of all workers, in the primary. The reservations of a key never exceed its maximum, and a worker opens
 * items only within its reservations, so the limit is exact although most items are opened without a message.
 */
export function createReservations(recall: Recall) {
  const byKey = new Map<string, Map<number, number>>();

  function add(key: string, worker: number, count: number): void {
    const holders = byKey.get(key) ?? new Map<number, number>();
    byKey.set(key, holders);
    const left = (holders.get(worker) ?? 0) + count;
    if (left > 0) holders.set(worker, left);
    else holders.delete(worker);
    if (holders.size === 0) byKey.delete(key);
  }

  const total = (key: string): number =>
    byKey
      .get(key)
      ?.values()
      .reduce((sum, count) => sum + count, 0) ?? 0;

  function take(worker: number, { key, max }: SharedItem): boolean {
    if (total(key) >= max) return false;
    add(key, worker, 1);
    return true;
  }

  return {
    /** Reserves an item; recalls unused ones of the other workers if none is left. */
    async reserve(worker: number, item: SharedItem): Promise<boolean> {
      if (take(worker, item)) return true;
      for (const other of [...(byKey.get(item.key)?.keys() ?? [])]) {
        if (other === worker) continue;
        // Counted even if it arrives late, because the worker has released the items by then.
        const recalled = recall(other, item.key).then((count) => add(item.key, other, -count));
        await nullAfter(RECALL_TIMEOUT_MS, () => recalled);
        if (take(worker, item)) return true;
      }
      return false;
    },
    release: (worker: number, key: string, count: number): void => add(key, worker, -count),
    /** Removes the reservations of a worker that has exited. */
    removeWorker(worker: number): void {
      for (const [key, holders] of byKey) add(key, worker, -(holders.get(worker) ?? 0));
    },
  };
}

/** Interval at which a worker releases the reservations of keys that were not used since the last time. */
const RELEASE_INTERVAL_MS = 10_000;

interface PrimaryReservations {
  reserve(item: SharedItem): Promise<boolean>;
  release(released: { key: string; count: number }): Promise<void>;
}

/** Open items of one worker, within the reservations that the primary grants. */
export function createSharedItems(primary: PrimaryReservations) {
  const entries = new Map<string, { reserved: number; open: number; isIdle: boolean }>();

  function releaseUnused(): void {
    for (const [key, entry] of entries) {
      if (entry.open === 0 && entry.isIdle) {
        entries.delete(key);
        if (entry.reserved > 0) void primary.release({ key, count: entry.reserved }).catch(() => {});
      }
      entry.isIdle = true;
    }
  }
  setInterval(releaseUnused, RELEASE_INTERVAL_MS).unref();

  function entryOf(key: string) {
    const entry = entries.get(key) ?? { reserved: 0, open: 0, isIdle: false };
    entries.set(key, entry);
    entry.isIdle = false;
    return entry;
  }

  function openIn(key: string): () => void {
    entryOf(key).open += 1;
    let isOpen = true;
    return () => {
      if (isOpen) entryOf(key).open -= 1;
      isOpen = false;
    };
  }

  return {
    /** Opens an item; returns a function that closes it once, or null if `max` are open in all workers. */
    open(key: string, max: number): (() => void) | Promise<(() => void) | null> {
      const { open, reserved } = entryOf(key);
      if (open < reserved) return openIn(key);
      return primary.reserve({ key, max }).then((isReserved) => {
        if (!isReserved) return null;
        entryOf(key).reserved += 1;
        return openIn(key);
      });
    },
    recall({ key }: { key: string }): number {
      const entry = entries.get(key);
      if (!entry) return 0;
      const unused = entry.reserved - entry.open;
      entry.reserved -= unused;
      return unused;
    },
  };
}
