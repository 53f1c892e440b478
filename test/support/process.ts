import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWithParent } from '../../src/runtime/embedded/end-with-parent.ts';
import { freePort } from '../../src/runtime/embedded/free-port.ts';
import { MEMORY_ENVIRONMENT, MEMORY_OPTIONS } from '../../src/runtime/memory-limits.ts';
import { eventually } from './eventually.ts';
import { childEnvironment } from './sharding/child-environment.ts';

/** Program of the command line: it runs the prebuilt service unless the source has changed since `npm run build`. */
export const MAIN = join(import.meta.dirname, '../../src/cli/main.ts');

/** With the memory limits of a serving process, for which it would restart itself. */
const SERVE: readonly string[] = [process.execPath, ...MEMORY_OPTIONS, MAIN, 'serve'];

/** The service as a process of its own, that can be killed. */
export interface ServiceProcess {
  url: string;
  child: ChildProcess;
  /** Ends it with a signal, and resolves with its exit code once it is gone; null after `SIGKILL`. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

interface ProcessOptions {
  mongodbUri: string;
  env?: Record<string, string>;
  /** Program and arguments of the service. */
  command?: readonly string[];
  /** Time limit for the start, in milliseconds. */
  startTimeoutMs?: number;
}

/** A data directory for processes that share a database: the encryption key that they share is in it. */
export async function sharedDataDir(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'engagement-data-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Returns the environment of a process whose wall clock is wrong. */
export const shiftedClock = (ms: number) => {
  const source = `const now = () => Math.floor(performance.timeOrigin + performance.now() + ${ms});
globalThis.Date = new Proxy(Date, {
  construct: (Real, args, type) => Reflect.construct(Real, args.length ? args : [now()], type),
});
Date.now = now;`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(source)}` };
};

/** Starts `engagement serve`, and does not wait for it. */
export async function spawnProcess(
  dataDir: string,
  { mongodbUri, env = {}, command: [program = '', ...args] = SERVE }: ProcessOptions,
): Promise<ServiceProcess> {
  const port = env.PORT ?? String(await freePort());
  const isWorker = env.ROLE === 'worker';
  const child = spawn(program, args, {
    stdio: ['ignore', isWorker ? 'pipe' : process.env.TEST_LOG_LEVEL ? 'inherit' : 'ignore', 'inherit'],
    env: {
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      PORT: port,
      MONGODB_URI: mongodbUri,
      DATA_DIR: dataDir,
      RATE_LIMIT: 'off',
      HTTP_MAX_REQUESTS_PER_KEY: '10000',
      HTTP_MAX_CONNECTIONS_PER_ADDRESS: '10000',
      LOG_LEVEL: isWorker ? 'info' : (process.env.TEST_LOG_LEVEL ?? 'error'),
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      ...MEMORY_ENVIRONMENT,
      ...childEnvironment(),
      ...env,
    },
  });
  child.once('exit', endWithParent(child.pid ?? 0));
  return { url: `http://127.0.0.1:${port}`, child, end: (signal) => endChild(child, signal) };
}

/** Starts `engagement serve` and waits until it is healthy. */
export async function startProcess(
  dataDir: string,
  { startTimeoutMs = 90_000, ...options }: ProcessOptions,
): Promise<ServiceProcess> {
  const service = await spawnProcess(dataDir, options);
  const { child, url } = service;
  const isUp = options.env?.ROLE === 'worker' ? logs(child, 'listening') : () => isHealthy(url);
  await eventually(async () => child.exitCode !== null || (await isUp()), startTimeoutMs).catch((error) => {
    child.kill('SIGKILL');
    throw error;
  });
  if (child.exitCode !== null) throw new Error(`The service ended with exit code ${child.exitCode}.`);
  return service;
}

/** Sends a signal to a process, and resolves with its exit code once it is gone; null if a signal has ended it. */
export async function endChild(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exited = once(child, 'exit');
  child.kill(signal);
  const [code] = (await exited) as [number | null];
  return code;
}

/** Returns a check for a text in the log of a process; a worker has no address to ask. */
function logs({ stdout }: ChildProcess, text: string): () => boolean {
  let log = '';
  stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    log += chunk;
  });
  return () => log.includes(text);
}

const isHealthy = (url: string): Promise<boolean> =>
  fetch(`${url}/api/health`).then(
    (response) => response.status === 200,
    () => false,
  );

/** Starts a command of the operator's command line on a database. */
export const spawnCommand = (dataDir: string, mongodbUri: string, ...args: string[]) =>
  spawn(process.execPath, [MAIN, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      MONGODB_URI: mongodbUri,
      DATA_DIR: dataDir,
      LOG_LEVEL: 'error',
      ...childEnvironment(),
    },
  });

/** Runs a command of the operator's command line on a database, and returns what it prints. */
export async function engagementOutput(
  dataDir: string,
  mongodbUri: string,
  ...args: string[]
): Promise<string> {
  const child = spawnCommand(dataDir, mongodbUri, ...args);
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`engagement ${args.join(' ')} ended with ${code}: ${text}`);
  return text;
}

/** The same with `--json`; returns its document. */
export const engagement = async <T>(dataDir: string, mongodbUri: string, ...args: string[]): Promise<T> =>
  JSON.parse(await engagementOutput(dataDir, mongodbUri, ...args, '--json')) as T;
