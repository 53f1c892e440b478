import { LRUCache } from 'lru-cache';
import { createKeyedCounter } from '../platform/keyed-counter.ts';

/** Window in which failed authentications of a client network are counted. Milliseconds. */
const FAILURE_WINDOW_MS = 60_000;
/** Client networks whose failures are remembered; further ones evict the least recent. */
export const MAX_NETWORKS = 10_000;

/** Type of an item of which an API key may have a limited number at a time. */
export type KeyItem = 'request' | 'subscription';

/** Failed authentications of a client network in the current window. */
export interface FailureWindow {
  failures: number;
  endsInMs: number;
}

/** Counts what clients use: of this process, or of all workers of the service together. */
export interface ClientLimits {
  /** Opens an item of an API key; returns a function that closes it once, or null if `max` are open. */
  open(item: KeyItem, keyId: string, max: number): (() => void) | null | Promise<(() => void) | null>;
  /** Counts a failed authentication of a client network, or of a webhook, and returns the window with it. */
  countFailure(network: string): FailureWindow | Promise<FailureWindow>;
}

/** Counts failed authentications by client network; further networks evict those that failed least recently. */
export function createFailureCounter() {
  const windows = new LRUCache<string, { failures: number; endsAt: number }>({ max: MAX_NETWORKS });
  return (network: string): FailureWindow => {
    const now = performance.now();
    const current = windows.get(network);
    const window =
      current && current.endsAt > now ? current : { failures: 0, endsAt: now + FAILURE_WINDOW_MS };
    window.failures += 1;
    windows.set(network, window);
    return { failures: window.failures, endsInMs: window.endsAt - now };
  };
}

/** Creates the counters of a process that shares its limits with no other. */
export function createClientLimits(): ClientLimits {
  const items = { request: createKeyedCounter(), subscription: createKeyedCounter() };
  return {
    open: (item, keyId, max) => items[item].open(keyId, max),
    countFailure: createFailureCounter(),
  };
}
