import { type ChildProcess, spawn } from 'node:child_process';
import { endWithParent } from '../../src/runtime/embedded/end-with-parent.ts';
import { eventually } from '../support/eventually.ts';
import { endChild, MAIN, sharedDataDir } from '../support/process.ts';
import { childEnvironment } from '../support/sharding/child-environment.ts';
import { workersOf } from '../support/worker-processes.ts';

/** Each of several processes starts slowly on a busy machine. */
export const START_MS = 90_000;

/** `engagement serve` with `WORKERS`, as a process of its own. */
export interface WorkersProcess extends AsyncDisposable {
  url: string;
  probesUrl: string;
  child: ChildProcess;
  dataDir: string;
  /** Parsed lines of the log. */
  log: Record<string, unknown>[];
  /** Stderr of the primary and its workers so far. */
  stderr(): string;
  /** Process ids of the workers. */
  workers(): number[];
  /** Sends a signal and resolves with the exit code; null after `SIGKILL`. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts the service and waits until all workers serve. */
export async function startWorkersProcess(env: Record<string, string>): Promise<WorkersProcess> {
  const dataDir = await sharedDataDir();
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      METRICS_PORT: '0',
      DATA_DIR: dataDir.path,
      LOG_LEVEL: 'info',
      WORKERS: '2',
      ...childEnvironment(),
      ...env,
    },
  });
  const release = endWithParent(child.pid ?? 0);
  const log: Record<string, unknown>[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('{')) log.push(JSON.parse(line));
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  async function dispose(): Promise<void> {
    await endChild(child, 'SIGTERM');
    release();
    await dataDir[Symbol.asyncDispose]();
  }
  const logged = (message: string) => log.find(({ msg }) => msg === message);
  try {
    await eventually(() => Boolean(logged('listening')) || child.exitCode !== null, START_MS);
    if (child.exitCode !== null)
      throw new Error(`The service ended with exit code ${child.exitCode}: ${stderr}`);
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    url: String(logged('listening')?.url),
    probesUrl: String(logged('listening for metrics and health')?.url),
    child,
    dataDir: dataDir.path,
    log,
    stderr: () => stderr,
    workers: () => workersOf(child.pid ?? 0),
    end: (signal) => endChild(child, signal),
    [Symbol.asyncDispose]: dispose,
  };
}
