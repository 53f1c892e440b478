import { endWithParent } from '../../src/platform/embedded/end-with-parent.ts';
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
  restart(): Promise<void>;
}

export async function startSoakProcess(
  name: string,
  { dataDir, mongodbUri, env }: { dataDir: string; mongodbUri: string; env: Record<string, string> },
): Promise<SoakProcess> {
  let running: { process: ServiceProcess; release: () => void } | null = null;
  const start = async (port: Record<string, string> = {}) => {
    const options = { mongodbUri, env: { ...env, ...port }, startTimeoutMs: START_TIMEOUT_MS };
    const process = await startProcess(dataDir, options);
    running = { process, release: endWithParent(process.child.pid ?? 0) };
    return process;
  };
  const end = async (signal: NodeJS.Signals) => {
    const ending = running;
    running = null;
    await ending?.process.end(signal);
    ending?.release();
  };
  const { url } = await start();
  return {
    name,
    url,
    pid: () => running?.process.child.pid ?? null,
    kill: () => end('SIGKILL'),
    restart: async () => void (await start({ PORT: new URL(url).port })),
    [Symbol.asyncDispose]: () => end('SIGTERM'),
  };
}
