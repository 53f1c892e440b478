import cluster from 'node:cluster';
import { once } from 'node:events';
import { endWithParent } from '../embedded/end-with-parent.ts';
import { memoryEnvironment, memoryOptions } from '../memory-limits.ts';
import { type Channel, openChannel, type RemoteCalls } from './process-channel.ts';
import type { WorkerProcess } from './supervisor.ts';
import type { PrimaryCalls, WorkerCalls, WorkerReady, WorkerSettings } from './worker-calls.ts';

export interface ForkedWorker extends WorkerProcess {
  calls: Channel<WorkerCalls>;
}

interface ForkOptions {
  /** Returns the settings of the worker; called once the worker can receive calls. */
  settings(): WorkerSettings;
  onReady(report: WorkerReady): void;
  calls: Omit<PrimaryCalls, 'settings' | 'ready'>;
}

/** Configures the workers' program, memory options and output. `--json` reserves stdout for the result. */
export function setUpWorkers({ logToStderr }: { logToStderr: boolean }): void {
  // Workers accept connections themselves. With round robin, Node never closes a connection in transit to a worker that
  // has exited: its client would wait forever.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({
    args: process.argv.slice(2).filter((argument) => argument !== '--json'),
    execArgv: memoryOptions(),
    stdio: ['ignore', logToStderr ? 2 : 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
}

/** Forks a worker; it ends when this process exits, even by `kill -9`. */
export function forkWorker({ settings, onReady, calls }: ForkOptions): ForkedWorker {
  const child = cluster.fork(memoryEnvironment());
  const linked = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<void>();
  const exited = Promise.withResolvers<{ code: number | null; signal: string | null }>();
  const local: PrimaryCalls = {
    ...calls,
    settings() {
      linked.resolve();
      return settings();
    },
    ready(report) {
      onReady(report);
      ready.resolve();
    },
  };
  const channel = openChannel<WorkerCalls>(child, local as RemoteCalls);
  const pid = child.process.pid ?? 0;
  const release = endWithParent(pid);
  void once(child, 'exit').then(([code, signal]) => {
    release();
    exited.resolve({ code: code as number | null, signal: signal as string | null });
  });
  return {
    pid,
    ready: ready.promise,
    exited: exited.promise,
    calls: channel,
    stop(graceMs) {
      // Its exit follows in any case: the supervisor kills a worker that does not respond.
      void linked.promise.then(() => channel.call('stop', { graceMs })).catch(() => {});
    },
    kill: () => child.process.kill('SIGKILL'),
  };
}
