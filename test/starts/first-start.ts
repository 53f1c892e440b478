import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endWithParent } from '../../src/runtime/embedded/end-with-parent.ts';
import { type NpmStart, spawnNpmStart } from '../support/npm-start.ts';

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
  const startedAt = performance.now();
  const start = await spawnNpmStart({ ...env, DATA_DIR: dataDir }, 'pipe');
  const { npm, url } = start;
  const stopGuard = endWithParent(npm.pid ?? 0);
  let stderr = '';
  npm.stderr?.setEncoding('utf8').on('data', (text: string) => {
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
    isServing = !hasExited && (await isHealthy(url));
  }
  // Before the end of the group, which sets the exit code as well.
  const result: Omit<FirstStart, 'stderr'> = {
    outcome: isServing ? 'served' : hasExited ? 'exited' : 'timed out',
    seconds: (performance.now() - startedAt) / 1000,
    exitCode,
  };
  await endGroup(start, exited);
  await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 });
  return { ...result, stderr };
}

const isHealthy = (url: string): Promise<boolean> =>
  fetch(`${url}/api/health`, { signal: AbortSignal.timeout(5_000) }).then(
    async (response) => {
      await response.body?.cancel();
      return response.status === 200;
    },
    () => false,
  );

async function endGroup({ signalGroup }: NpmStart, exited: Promise<void>): Promise<void> {
  signalGroup('SIGINT');
  await Promise.race([exited, sleep(END_TIMEOUT_MS, undefined, { ref: false })]);
  signalGroup('SIGKILL');
  await exited;
}
