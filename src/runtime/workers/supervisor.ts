import { setTimeout as sleep } from 'node:timers/promises';
import { systemWait } from '../../platform/abortable-wait.ts';
import { exponentialDelayMs } from '../../platform/exponential-delay.ts';
import type { Logger } from '../../platform/logger.ts';
import { WorkerStartError } from './worker-start-error.ts';

/** Consecutive failed starts of one worker after which the service ends. */
const MAX_FAILED_STARTS = 5;
/** A worker that ran this long counts as healthy: the next restart has no delay. Milliseconds. */
const STABLE_MS = 30_000;
/** Delay before the second restart in succession, and the longest one; the first restart has none. */
const BACKOFF = { firstMs: 500, maxMs: 15_000 };
/** Time within which all workers begin to stop: each keeps most of the time limit. */
const STAGGER_MS = 2_000;
/** A worker is killed this long after the time limit. */
const KILL_AFTER_MS = 500;

/** A process that serves. */
export interface WorkerProcess {
  pid: number;
  /** Resolves when the worker serves; never if it exits first. */
  ready: Promise<void>;
  exited: Promise<{ code: number | null; signal: string | null }>;
  stop(graceMs: number): void;
  kill(): void;
}

interface SupervisorOptions {
  count: number;
  /** Starts a process for a worker, numbered from 1. */
  fork(worker: number): WorkerProcess;
  onRestart(): void;
  log: Logger;
}

/** Keeps a number of workers running. */
export function createSupervisor({ count, fork, onRestart, log }: SupervisorOptions) {
  const running = new Map<number, WorkerProcess>();
  const stopping = new AbortController();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {}); // The caller may have failed first.

  /** Runs a worker until the service stops. @throws WorkerStartError */
  async function keepRunning(worker: number, onReady: () => void): Promise<void> {
    let failedStarts = 0;
    let hasServed = false;
    let restarts = 0;
    for (;;) {
      const child = fork(worker);
      running.set(worker, child);
      const startedAt = performance.now();
      const isReady = await Promise.race([child.ready.then(() => true), child.exited.then(() => false)]);
      if (isReady) onReady();
      failedStarts = isReady ? 0 : failedStarts + 1;
      hasServed ||= isReady;
      const { code, signal } = await child.exited;
      running.delete(worker);
      if (stopping.signal.aborted) return;
      if (!hasServed || failedStarts === MAX_FAILED_STARTS)
        throw new WorkerStartError(worker, code ?? 1, failedStarts);

      if (isReady && performance.now() - startedAt > STABLE_MS) restarts = 0;
      const delayMs = restarts === 0 ? 0 : exponentialDelayMs(BACKOFF, restarts - 1);
      log.warn({ worker, workerPid: child.pid, code, signal, delayMs }, 'a worker has exited; restarting it');
      onRestart();
      await systemWait(delayMs, stopping.signal).catch(() => {});
      if (stopping.signal.aborted) return;
      restarts += 1;
    }
  }

  async function startWorker(worker: number): Promise<void> {
    const ready = Promise.withResolvers<void>();
    keepRunning(worker, ready.resolve).then(ready.resolve, (error: unknown) => {
      ready.reject(error);
      failed.reject(error);
    });
    await ready.promise;
  }

  return {
    /** Rejects when a worker repeatedly fails to start. */
    failed: failed.promise,
    /** Starts the first worker, which creates the indexes, and then the others. @throws WorkerStartError */
    async start(): Promise<void> {
      await startWorker(1);
      await Promise.all(Array.from({ length: count - 1 }, (_, index) => startWorker(index + 2)));
    },
    /**
     * Stops the workers one after the other: while one finishes its work, the next ones accept requests. None waits
     * longer than its part of `STAGGER_MS`, so that all have finished within the time limit.
     */
    async stop(graceMs: number): Promise<void> {
      stopping.abort();
      const until = performance.now() + graceMs;
      const children = [...running.values()];
      const kill = setTimeout(() => {
        for (const child of running.values()) child.kill();
      }, graceMs + KILL_AFTER_MS);
      for (const [index, child] of children.entries()) {
        child.stop(until - performance.now());
        const isLast = index === children.length - 1;
        if (!isLast) await Promise.race([child.exited, sleep(STAGGER_MS / count)]);
      }
      await Promise.all(children.map(({ exited }) => exited));
      clearTimeout(kill);
    },
  };
}
