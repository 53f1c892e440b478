import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../logger.ts';
import { endWithParent } from './end-with-parent.ts';
import { freePort } from './free-port.ts';

/** The reference sidecar as a child of an embedded service. */
export interface SidecarProcess {
  url: string;
  stop(): Promise<void>;
}

interface Options {
  mongodbUri: string;
  threshold: number;
  log: Logger;
}

const MAIN = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));
/** How long it gets to end by itself. Milliseconds. */
const STOP_MS = 3_000;

/** Starts the reference sidecar on a free port of this machine; it ends with this process, however that ends. */
export async function startSidecarProcess({ mongodbUri, threshold, log }: Options): Promise<SidecarProcess> {
  const port = String(await freePort());
  const child = spawn(process.execPath, [MAIN, 'sidecar', '--port', port], {
    // Of a session of its own: a Ctrl-C on the terminal is the parent's to pass on.
    detached: true,
    stdio: 'ignore',
    env: { MONGODB_URI: mongodbUri, DRIFT_THRESHOLD: String(threshold), LOG_LEVEL: 'warn' },
  });
  const exited = once(child, 'exit');
  const release = child.pid === undefined ? () => {} : endWithParent(child.pid);
  child.on('error', (error) => log.warn({ err: error }, 'the reference sidecar could not be started'));
  void exited.then(([code]) => {
    release();
    if (code !== 0 && code !== null) log.warn({ code }, 'the reference sidecar has ended');
  });
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}
