import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endWithParent } from '../../src/runtime/embedded/end-with-parent.ts';
import { freePort } from '../../src/runtime/embedded/free-port.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const HEALTH_INTERVAL_MS = 200;
/** Time limit of an orderly end, after which the process group is killed. */
const END_TIMEOUT_MS = 30_000;
/** Length of the end of the error output that is kept. */
const MAX_OUTPUT_LENGTH = 4_000;

interface FirstStartOptions {
  env: Record<string, string>;
  timeoutMs: number;
}

export interface FirstStart {
  outcome: 'served' | 'exited' | 'timed out';
  seconds: number;
  /** Null unless the process exited by itself. */
  exitCode: number | null;
  /** End of the error output. */
  stderr: string;
}

/** Runs `npm start` with an empty data directory until the service is healthy, exits or times out, and ends it. */
export async function firstStart({ env, timeoutMs }: FirstStartOptions): Promise<FirstStart> {
  const dataDir = await mkdtemp(join(tmpdir(), 'engagement-start-'));
  const port = String(await freePort());
  const startedAt = performance.now();
  const npm = spawn('npm', ['start'], {
    cwd: ROOT,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...env, HOST: '127.0.0.1', PORT: port, DATA_DIR: dataDir },
  });
  const stopGuard = endWithParent(npm.pid ?? 0);
  let stderr = '';
  npm.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-MAX_OUTPUT_LENGTH);
  });
  let exitCode: number | null = null;
  let hasExited = false;
  const exited = once(npm, 'exit').then(([code]) => {
    exitCode = code;
    hasExited = true;
    stopGuard();
  });

  let isServing = false;
  while (!isServing && !hasExited && performance.now() - startedAt < timeoutMs) {
    await Promise.race([exited, sleep(HEALTH_INTERVAL_MS)]);
    isServing = !hasExited && (await isHealthy(port));
  }
  const result: FirstStart = {
    outcome: isServing ? 'served' : hasExited ? 'exited' : 'timed out',
    seconds: (performance.now() - startedAt) / 1000,
    exitCode,
    stderr,
  };
  await endGroup(npm, exited);
  await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 });
  return { ...result, stderr };
}

const isHealthy = (port: string): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/api/health`, { signal: AbortSignal.timeout(5_000) }).then(
    async (response) => {
      await response.body?.cancel();
      return response.status === 200;
    },
    () => false,
  );

async function endGroup(npm: ChildProcess, exited: Promise<void>): Promise<void> {
  signalGroup(npm, 'SIGINT');
  await Promise.race([exited, sleep(END_TIMEOUT_MS, undefined, { ref: false })]);
  signalGroup(npm, 'SIGKILL');
  await exited;
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid) process.kill(-pid, signal);
  } catch {
    // The group has ended.
  }
}
