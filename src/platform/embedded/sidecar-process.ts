import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type CurrentWindow, currentWindowText } from '../../config.values.ts';
import type { Logger } from '../logger.ts';
import { endWithParent } from './end-with-parent.ts';
import { freePort } from './free-port.ts';

/** The reference sidecar as a child process. */
export interface SidecarProcess {
  url: string;
  stop(): Promise<void>;
}

interface Options {
  mongodbUri: string;
  threshold: number;
  /** Null if all current samples count. */
  currentWindow: CurrentWindow | null;
  log: Logger;
}

const MAIN = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));
/** Time limit of an orderly stop, after which the process is killed. */
const STOP_TIMEOUT_MS = 3_000;

/** Starts the reference sidecar on a free loopback port; it is terminated when this process exits, even by a crash. */
export async function startSidecarProcess(options: Options): Promise<SidecarProcess> {
  const { mongodbUri, threshold, currentWindow, log } = options;
  const port = String(await freePort());
  const child = spawn(process.execPath, [MAIN, 'sidecar', '--port', port], {
    // Its own session, so that Ctrl-C on the terminal reaches only the parent, which stops it.
    detached: true,
    stdio: 'ignore',
    env: {
      MONGODB_URI: mongodbUri,
      DRIFT_THRESHOLD: String(threshold),
      ...(currentWindow ? { DRIFT_CURRENT_WINDOW: currentWindowText(currentWindow) } : {}),
      LOG_LEVEL: 'warn',
    },
  });
  const exited = once(child, 'exit');
  const stopGuard = child.pid === undefined ? () => {} : endWithParent(child.pid);
  child.on('error', (error) => log.warn({ err: error }, 'failed to start the reference sidecar'));
  void exited.then(([code]) => {
    stopGuard();
    if (code !== 0 && code !== null) log.warn({ code }, 'the reference sidecar exited with an error');
  });
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}
