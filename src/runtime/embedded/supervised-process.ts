import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { systemWait } from '../../platform/abortable-wait.ts';
import { exponentialDelayMs } from '../../platform/exponential-delay.ts';
import type { Logger } from '../../platform/logger.ts';
import { endWithParent } from './end-with-parent.ts';

/** Time limit of an orderly stop; after it, the process is killed. */
const STOP_TIMEOUT_MS = 3_000;
/** Delay before a restart; it doubles with each restart in succession. */
const BACKOFF = { firstMs: 250, maxMs: 30_000 };
/** A process that ran this long counts as healthy: the next restart has the first delay again. */
const STABLE_MS = 60_000;
/** Length of the error output that is logged when the process exits. */
const MAX_OUTPUT_LENGTH = 2_000;

interface SupervisedOptions {
  /** Name in log lines. */
  name: string;
  /** Arguments of Node. */
  args: string[];
  /** The complete environment. */
  env: Record<string, string>;
  log: Logger;
}

interface SupervisedProcess {
  /** Terminates the process and ends its restarts. */
  stop(): Promise<void>;
}

interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** End of the error output. */
  output: string;
}

/** Starts Node in a session of its own, so that Ctrl-C on the terminal reaches only this process, which stops it. */
function start({ args, env }: SupervisedOptions): { child: ChildProcess; exited: Promise<Exit> } {
  const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', 'ignore', 'pipe'], env });
  const release = child.pid === undefined ? () => {} : endWithParent(child.pid);
  let output = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-MAX_OUTPUT_LENGTH);
  });
  const exited = once(child, 'close').then(
    ([code, signal]): Exit => ({ code, signal, output: output.trim() }),
    (error: Error): Exit => ({ code: null, signal: null, output: error.message }), // failed to start
  );
  return { child, exited: exited.finally(release) };
}

/** Keeps a child process of Node running until it is stopped; restarts are delayed by an exponential backoff. */
export function superviseProcess(options: SupervisedOptions): SupervisedProcess {
  const { name, log } = options;
  const stopping = new AbortController();
  let current = start(options);

  async function keepRunning(): Promise<void> {
    let restarts = 0;
    for (;;) {
      const startedAt = performance.now();
      const exit = await current.exited;
      if (stopping.signal.aborted) return;
      if (performance.now() - startedAt > STABLE_MS) restarts = 0;
      const restartInMs = exponentialDelayMs(BACKOFF, restarts);
      log.warn({ ...exit, restartInMs }, `the ${name} has exited; restarting it`);
      await systemWait(restartInMs, stopping.signal).catch(() => {});
      if (stopping.signal.aborted) return;
      restarts += 1;
      current = start(options);
    }
  }

  const ended = keepRunning();
  return {
    async stop() {
      stopping.abort();
      const { child } = current;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}
