import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Monotonic time, timers, random numbers and tokens of a process. Injected into the delivery engine, so that a simulation
 * can run in virtual time and repeat a run exactly.
 */
export interface Runtime {
  /** Milliseconds, unaffected by changes of the wall clock. */
  monotonicMs(): number;
  /** Resolves after `ms`. @param ref false to let the process end first; true by default */
  sleep(ms: number, options?: { ref?: boolean }): Promise<void>;
  /** Runs once after `ms`. Returns a function that cancels it. */
  after(ms: number, run: () => void): () => void;
  /** Runs every `ms`, without keeping the process alive. Returns a function that cancels it. */
  every(ms: number, run: () => void): () => void;
  /** Runs after all work that is already due in this turn of the event loop. */
  soon(run: () => void): void;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  random(): number;
  /** Returns a globally unique token, for example for a lease. */
  newToken(): string;
}

export const systemRuntime: Runtime = {
  monotonicMs: () => performance.now(),
  sleep: (ms, options) => sleep(ms, undefined, options),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  every(ms, run) {
    const timer = setInterval(run, ms).unref();
    return () => clearInterval(timer);
  },
  soon: (run) => void setImmediate(run),
  random: Math.random,
  newToken: randomUUID,
};
