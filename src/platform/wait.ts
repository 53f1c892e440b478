import { setTimeout as sleep } from 'node:timers/promises';

/** Waits; passed in, as the clock is, so that tests turn minutes into moments. Rejects when the signal aborts. */
export type Wait = (ms: number, signal?: AbortSignal) => Promise<void>;

export const systemWait: Wait = (ms, signal) => sleep(ms, undefined, signal ? { signal } : {});
