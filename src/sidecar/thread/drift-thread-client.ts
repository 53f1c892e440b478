import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { AppError } from '../../errors/app-error.ts';
import type { Logger } from '../../platform/logger.ts';
import { projectFile } from '../../platform/project-files.ts';
import type { DriftEngine } from '../drift-engine.ts';
import type { ModelEntry } from '../models.ts';
import type { Call, Failure, Reply, ThreadData } from './drift-thread.types.ts';

/**
 * Heap limits of the thread. The young generation is bounded because the parsed rows would otherwise grow it by about
 * 100 MB before a collection. The old generation fits the largest accepted body in its worst form, millions of empty
 * objects.
 */
const HEAP_LIMITS = { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 512 };
/** Time for the thread to save its counts, which only speed up the next start, before it is terminated. */
const CLOSE_TIMEOUT_MS = 5_000;

/** The operations of a model. */
export type ModelOperations = Omit<DriftEngine, 'close'>;

/** The drift engines in a worker thread. */
export interface DriftThread {
  /** Operations of a model, which need not exist. */
  ofModel(model: string): ModelOperations;
  models(): Promise<ModelEntry[]>;
  close(): Promise<void>;
  /** Resolves when the thread has exited, expectedly or not. */
  exited: Promise<void>;
}

const toError = ({ code, message, details, cause }: Failure): AppError =>
  new AppError(code, message, { details, cause });

/**
 * Starts the thread and waits until it is ready.
 * @throws AppError SERVICE_UNAVAILABLE if the database is unreachable
 */
export async function startDriftThread(data: ThreadData, log: Logger): Promise<DriftThread> {
  const worker = new Worker(projectFile('src/sidecar/thread/drift-thread.ts'), {
    workerData: data,
    resourceLimits: HEAP_LIMITS,
  });
  const pending = new Map<number, PromiseWithResolvers<unknown>>();
  const ready = Promise.withResolvers<void>();
  const exited = Promise.withResolvers<void>();
  let nextId = 0;

  function settle(id: number, outcome: (call: PromiseWithResolvers<unknown>) => void): void {
    const call = pending.get(id);
    pending.delete(id);
    if (call) outcome(call);
  }

  worker.on('message', (reply: Reply) => {
    if (reply.type === 'ready') ready.resolve();
    else if (reply.type === 'startFailed') ready.reject(toError(reply.failure));
    else if (reply.type === 'warning')
      log.warn({ err: toError(reply.failure) }, 'background update of the drift profiles failed');
    else if (reply.type === 'result') settle(reply.id, (call) => call.resolve(reply.result));
    else settle(reply.id, (call) => call.reject(toError(reply.failure)));
  });
  worker.on('error', (error) => log.error({ err: error }, 'drift thread crashed'));
  worker.on('exit', () => {
    const stopping = new AppError('SERVICE_UNAVAILABLE', 'The sidecar is stopping.');
    ready.reject(stopping);
    for (const call of pending.values()) call.reject(stopping);
    pending.clear();
    exited.resolve();
  });
  await ready.promise;

  function send(call: Omit<Call, 'id'>): Promise<unknown> {
    const id = nextId;
    nextId += 1;
    const result = Promise.withResolvers<unknown>();
    pending.set(id, result);
    // Bodies are transferred, not copied; the main thread does not use them again.
    const bodies = call.input.flatMap((value) =>
      value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : [],
    );
    worker.postMessage({ id, ...call } satisfies Call, bodies);
    return result.promise;
  }
  const operation =
    <N extends keyof ModelOperations>(model: string, name: N) =>
    (...input: Parameters<DriftEngine[N]>) =>
      send({ model, name, input }) as ReturnType<DriftEngine[N]>;
  return {
    ofModel: (model) => ({
      addSamples: operation(model, 'addSamples'),
      removeSamples: operation(model, 'removeSamples'),
      status: operation(model, 'status'),
      history: operation(model, 'history'),
      check: operation(model, 'check'),
      feature: operation(model, 'feature'),
      performance: operation(model, 'performance'),
      stages: operation(model, 'stages'),
      featureSettings: operation(model, 'featureSettings'),
      setFeatureSettings: operation(model, 'setFeatureSettings'),
    }),
    models: () => send({ model: null, name: 'list', input: [] }) as Promise<ModelEntry[]>,
    async close() {
      const closed = send({ model: null, name: 'close', input: [] }).catch((error: unknown) =>
        log.warn({ err: error }, 'drift thread failed to close cleanly'),
      );
      await Promise.race([closed, sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
      await worker.terminate();
    },
    exited: exited.promise,
  };
}
