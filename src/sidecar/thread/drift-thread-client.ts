import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { AppError } from '../../errors.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Drift } from '../drift-engine.ts';
import type { Call, Failure, Reply, ThreadData } from './drift-thread.types.ts';

/**
 * Megabytes. Rows of requests make the thread's heap grow by a hundred when it may grow without bounds; with bounds it
 * is collected in time. The upper one is for the worst body that is taken: millions of empty objects.
 */
const HEAP = { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 512 };
/** How long the thread may take to end by itself: what it keeps then only makes the next start quicker. */
const CLOSE_MS = 5_000;

/** `Drift` in a thread of its own. */
export interface DriftThread extends Drift {
  /** Resolves when the thread has ended, asked to or not. */
  ended: Promise<void>;
}

const toError = ({ code, message, details, cause }: Failure): AppError =>
  new AppError(code, message, { details, cause });

/**
 * Starts the thread, and waits until it is ready.
 * @throws AppError SERVICE_UNAVAILABLE when the database cannot be reached
 */
export async function startThread(data: ThreadData, log: Logger): Promise<DriftThread> {
  const worker = new Worker(new URL('./drift-thread.ts', import.meta.url), {
    workerData: data,
    resourceLimits: HEAP,
  });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let calls = 0;

  function settle(id: number, outcome: (call: PromiseWithResolvers<unknown>) => void): void {
    const call = waiting.get(id);
    waiting.delete(id);
    if (call) outcome(call);
  }

  worker.on('message', (reply: Reply) => {
    if (reply.type === 'ready') ready.resolve();
    else if (reply.type === 'refused') ready.reject(toError(reply.failure));
    else if (reply.type === 'warning')
      log.warn({ err: toError(reply.failure) }, 'work in the background failed');
    else if (reply.type === 'result') settle(reply.id, (call) => call.resolve(reply.result));
    else settle(reply.id, (call) => call.reject(toError(reply.failure)));
  });
  worker.on('error', (error) => log.error({ err: error }, 'the thread that compares has failed'));
  worker.on('exit', () => {
    const gone = new AppError('SERVICE_UNAVAILABLE', 'The sidecar is stopping.');
    ready.reject(gone);
    for (const call of waiting.values()) call.reject(gone);
    waiting.clear();
    ended.resolve();
  });
  await ready.promise;

  const call =
    <N extends keyof Drift>(name: N) =>
    (...input: Parameters<Drift[N]>): ReturnType<Drift[N]> => {
      const id = calls;
      calls += 1;
      const answer = Promise.withResolvers<unknown>();
      waiting.set(id, answer);
      // Bodies are handed over, not copied: nobody looks at them here again.
      const bodies = input.flatMap((value) =>
        value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : [],
      );
      worker.postMessage({ id, name, input } satisfies Call, bodies);
      return answer.promise as ReturnType<Drift[N]>;
    };
  return {
    addSamples: call('addSamples'),
    removeSamples: call('removeSamples'),
    status: call('status'),
    history: call('history'),
    check: call('check'),
    async close() {
      const closed = call('close')().catch((error: unknown) =>
        log.warn({ err: error }, 'closed in disorder'),
      );
      await Promise.race([closed, sleep(CLOSE_MS, undefined, { ref: false })]);
      await worker.terminate();
    },
    ended: ended.promise,
  };
}
