import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves after `ms`; rejects if the signal aborts. Injected, so that tests do not wait. */
export type Wait = (ms: number, signal?: AbortSignal) => Promise<void>;

export const systemWait: Wait = (ms, signal) => sleep(ms, undefined, signal ? { signal } : {});
