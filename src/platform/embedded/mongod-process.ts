import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../logger.ts';
import { endWithParent } from './end-with-parent.ts';

/** How long an orderly stop may take before the process is killed; the journal keeps what was written. */
const STOP_TIMEOUT_MS = 10_000;

/** How long a start may take; recovery after a crash with a full journal is the slow case. */
const START_TIMEOUT_MS = 120_000;

interface MongodOptions {
  /** Path of the `mongod` to run. */
  binary: string;
  /** Existing directory of the data. */
  dbPath: string;
  /** Port on 127.0.0.1. */
  port: number;
  /** Name of the replica set it is a member of. */
  setName: string;
  /** Bound of the WiredTiger cache in gigabytes, at least 0.25. */
  cacheGb: number;
  log: Logger;
}

/** A `mongod` child process that accepts connections. */
export interface Mongod {
  pid: number;
  port: number;
  /** Resolves when the process has ended, asked for or not. */
  exited: Promise<void>;
  /** Orderly; after 10 s by force. */
  stop(): Promise<void>;
  /** At once, as a crash would end it. */
  kill(): Promise<void>;
}

type MongodFailure = 'port_in_use' | 'database_in_use' | 'other_version' | 'other';

/** `mongod` ended before it accepted connections. */
export class MongodStartError extends Error {
  readonly failure: MongodFailure;

  constructor(failure: MongodFailure, message: string) {
    super(message);
    this.name = 'MongodStartError';
    this.failure = failure;
  }
}

/** mongod's own words for what is worth telling apart; its exit codes are shared by many causes. */
const FAILURES: [RegExp, MongodFailure][] = [
  [/DBPathInUse/, 'database_in_use'],
  [/Address already in use/, 'port_in_use'],
  [/featureCompatibilityVersion|unsupported WiredTiger/, 'other_version'],
];

/**
 * Starts a replica set member on loopback. It is a session of its own, so that a Ctrl-C reaches only this
 * process, which then decides; and it ends when this process does, however that ends.
 *
 * Not through mongodb-memory-server's MongoInstance (11.3): where the port is taken it sends `shutdown` to whatever
 * MongoDB listens there, and two log lines in one chunk end this process (JSON.parse in an event handler).
 * @throws MongodStartError
 */
export async function startMongod(options: MongodOptions): Promise<Mongod> {
  const { binary, port, log } = options;
  const child = spawn(binary, mongodArguments(options), {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lift = child.pid ? endWithParent(child.pid) : () => {};
  let running = true;
  const exited = new Promise<void>((resolve) => {
    const end = () => {
      running = false;
      lift();
      resolve();
    };
    child.once('error', end);
    child.once('exit', end);
  });
  const end = async (signal: NodeJS.Signals) => {
    child.ref(); // this process stays until the end that it asked for
    if (running) child.kill(signal);
    await exited;
  };
  const kill = () => end('SIGKILL');

  await untilReady(child, log).catch(async (error) => {
    await kill();
    throw error;
  });
  for (const handle of [child, child.stdout, child.stderr]) unref(handle);
  log.debug({ pid: child.pid, port }, 'mongod is ready.');
  return {
    pid: child.pid ?? 0,
    port,
    exited,
    async stop() {
      const force = setTimeout(kill, STOP_TIMEOUT_MS);
      await end('SIGTERM');
      clearTimeout(force);
    },
    kill,
  };
}

const mongodArguments = ({ dbPath, port, setName, cacheGb }: MongodOptions): string[] => [
  ...['--dbpath', dbPath, '--port', String(port), '--bind_ip', '127.0.0.1', '--nounixsocket'],
  ...['--replSet', setName, '--oplogSize', '512', '--wiredTigerCacheSizeGB', String(cacheGb), '--quiet'],
  ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
];

/** Resolves when mongod listens; keeps reading its output afterwards, or the pipe would fill and block it. */
async function untilReady(child: ChildProcess, log: Logger): Promise<void> {
  const complaints: string[] = [];
  const ready = Promise.withResolvers<void>();
  const read = (stream: NodeJS.ReadableStream | null) => {
    if (!stream) return;
    createInterface({ input: stream }).on('line', (line) => {
      const entry = parse(line);
      if (entry.id === WAITING_FOR_CONNECTIONS) ready.resolve();
      if (entry.severity === 'I') return;
      log.debug({ mongod: entry.text }, 'mongod');
      if (entry.severity !== 'W') complaints.push(entry.text);
      if (complaints.length > 5) complaints.splice(1, 1); // the first one says most
    });
  };
  read(child.stdout);
  read(child.stderr);
  child.once('error', (error) => ready.reject(new MongodStartError('other', `mongod: ${error.message}`)));
  child.once('close', (code, signal) => {
    const how = signal ? `signal ${signal}` : `exit code ${code}`;
    const words = complaints.join('; ') || 'no message';
    const failure = FAILURES.find(([pattern]) => pattern.test(words))?.[1] ?? 'other';
    ready.reject(new MongodStartError(failure, `mongod ended with ${how}: ${words}`));
  });
  const waiting = new AbortController();
  const late = sleep(START_TIMEOUT_MS, undefined, { signal: waiting.signal }).then(() => {
    throw new MongodStartError('other', `mongod is not ready after ${START_TIMEOUT_MS / 1000} s`);
  });
  try {
    await Promise.race([ready.promise, late]);
  } finally {
    late.catch(() => {}); // the abort below
    waiting.abort();
  }
}

/** Identifier of the log line "Waiting for connections", the same in every version since 4.4. */
const WAITING_FOR_CONNECTIONS = 23016;

interface LogLine {
  s?: string;
  id?: number;
  msg?: string;
  attr?: { error?: unknown };
}

/** Severity `F`, `E`, `W`, `I` or `D`; a line that is no JSON (the loader's, the option parser's) is an error. */
function parse(line: string): { severity: string; id: number | undefined; text: string } {
  try {
    const { s = 'E', id, msg = line, attr }: LogLine = JSON.parse(line);
    const cause = attr?.error === undefined ? '' : ` (${JSON.stringify(attr.error)})`;
    return { severity: s[0] ?? 'E', id, text: msg + cause };
  } catch {
    return { severity: 'E', id: undefined, text: line };
  }
}

/** Neither the process nor its pipes keep this process alive; the guard ends mongod then. */
function unref(handle: unknown): void {
  if (handle && typeof handle === 'object' && 'unref' in handle && typeof handle.unref === 'function')
    handle.unref();
}
