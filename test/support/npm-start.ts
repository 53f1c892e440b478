import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { freePort } from '../../src/runtime/embedded/free-port.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** The service as npm starts it. */
export interface NpmStart {
  npm: ChildProcess;
  /** Base URL of the service. */
  url: string;
  /** Sends a signal to npm and all that it has started; does nothing once they have ended. */
  signalGroup(signal: NodeJS.Signals): void;
}

/**
 * Runs `npm start` on loopback, in a process group of its own, and does not wait for it.
 *
 * @param stderr `pipe` to read the error output
 */
export async function spawnNpmStart(
  env: Record<string, string | undefined>,
  stderr: 'ignore' | 'pipe' = 'ignore',
): Promise<NpmStart> {
  const port = String(await freePort());
  const npm = spawn('npm', ['start'], {
    cwd: ROOT,
    detached: true,
    stdio: ['ignore', 'ignore', stderr],
    env: { ...env, HOST: '127.0.0.1', PORT: port },
  });
  return {
    npm,
    url: `http://127.0.0.1:${port}`,
    signalGroup(signal) {
      try {
        if (npm.pid) process.kill(-npm.pid, signal);
      } catch {
        // The group has ended.
      }
    },
  };
}
