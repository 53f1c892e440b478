import { setTimeout as sleep } from 'node:timers/promises';
import { type ServiceProcess, startProcess } from '../support/process.ts';

/** Generous: a machine that is busy must not end an hour's run. */
const START_TIMEOUT_MS = 180_000;

/** A process of the service that can be killed and restarted at its address. */
export interface SoakProcess extends AsyncDisposable {
  name: string;
  url: string;
  /** Process id; null while it is down. */
  pid(): number | null;
  kill(): Promise<void>;
  /** Stops it with SIGSTOP for a time. */
  pause(ms: number): Promise<void>;
  restart(): Promise<void>;
}

/** Stops a process for a time. */
export async function pauseProcess(pid: number, ms: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await sleep(ms);
  process.kill(pid, 'SIGCONT');
}

export async function startSoakProcess(
  name: string,
  { dataDir, mongodbUri, env }: { dataDir: string; mongodbUri: string; env: Record<string, string> },
): Promise<SoakProcess> {
  let running: ServiceProcess | null = null;
  const start = async (port: Record<string, string> = {}) => {
    const options = { mongodbUri, env: { ...env, ...port }, startTimeoutMs: START_TIMEOUT_MS };
    running = await startProcess(dataDir, options);
    return running;
  };
  const end = async (signal: NodeJS.Signals) => {
    const ending = running;
    running = null;
    await ending?.end(signal);
  };
  const { url } = await start();
  return {
    name,
    url,
    pid: () => running?.child.pid ?? null,
    kill: () => end('SIGKILL'),
    pause: async (ms) => {
      if (running?.child.pid) await pauseProcess(running.child.pid, ms);
    },
    restart: async () => void (await start({ PORT: new URL(url).port })),
    [Symbol.asyncDispose]: () => end('SIGTERM'),
  };
}
