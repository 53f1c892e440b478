import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../platform/logger.ts';
import { endWithParent } from './end-with-parent.ts';

/** Time limit of an orderly shutdown, after which the process is killed; the journal preserves the data. */
const STOP_TIMEOUT_MS = 10_000;

/** Time limit of a start, long enough for crash recovery with a full journal. */
const START_TIMEOUT_MS = 120_000;

interface MongodOptions {
  /** Path of the `mongod` executable. */
  binary: string;
  /** Data directory, which must exist. */
  dbPath: string;
  /** Port on 127.0.0.1. */
  port: number;
  setName: string;
  /** Path of the key file; without one, there is no authentication. */
  keyFile?: string | undefined;
  /** Maximum size of the WiredTiger cache in gigabytes, at least 0.25. */
  cacheGb: number;
  log: Logger;
}

/** A `mongod` child process that accepts connections. */
export interface Mongod {
  pid: number;
  port: number;
  /** Resolves when the process has exited, expectedly or not. */
  exited: Promise<void>;
  /** Shuts down, and kills the process after 10 s. */
  stop(): Promise<void>;
  kill(): Promise<void>;
}

type MongodFailure = 'port_in_use' | 'database_in_use' | 'other_version' | 'other';

/** Reports that `mongod` exited, or timed out, before it accepted connections. */
export class MongodStartError extends Error {
  readonly failure: MongodFailure;

  constructor(failure: MongodFailure, message: string) {
    super(message);
    this.name = 'MongodStartError';
    this.failure = failure;
  }
}

/** Recognizes failures by the messages of `mongod`; its exit codes do not distinguish them. */
const FAILURES: [RegExp, MongodFailure][] = [
  [/DBPathInUse/, 'database_in_use'],
  [/Address already in use/, 'port_in_use'],
  [/featureCompatibilityVersion|unsupported WiredTiger/, 'other_version'],
];

/**
 * Starts a replica set member on loopback. It runs in its own session, so that Ctrl-C reaches only this process, and is
 * terminated when this process exits, even by a crash.
 *
 * MongoInstance of mongodb-memory-server (11.3) is not used: if the port is in use it sends `shutdown` to the MongoDB
 * that listens there, and two log lines in one chunk crash the process (JSON.parse in an event handler).
 * @throws MongodStartError
 */
export async function startMongod(options: MongodOptions): Promise<Mongod> {
  const { binary, port, log } = options;
  const child = spawn(binary, mongodArguments(options), {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stopGuard = child.pid ? endWithParent(child.pid) : () => {};
  let running = true;
  const exited = new Promise<void>((resolve) => {
    const onExit = () => {
      running = false;
      stopGuard();
      resolve();
    };
    child.once('error', onExit);
    child.once('exit', onExit);
  });
  const terminate = async (signal: NodeJS.Signals) => {
    child.ref(); // keeps this process alive until the child has exited
    if (running) child.kill(signal);
    await exited;
  };
  const kill = () => terminate('SIGKILL');

  await untilReady(child, log).catch(async (error) => {
    await kill();
    throw error;
  });
  for (const handle of [child, child.stdout, child.stderr]) unref(handle);
  log.debug({ pid: child.pid, port }, 'mongod accepts connections');
  return {
    pid: child.pid ?? 0,
    port,
    exited,
    async stop() {
      const force = setTimeout(kill, STOP_TIMEOUT_MS);
      await terminate('SIGTERM');
      clearTimeout(force);
    },
    kill,
  };
}

const mongodArguments = ({ dbPath, port, setName, keyFile, cacheGb }: MongodOptions): string[] => [
  ...['--dbpath', dbPath, '--port', String(port), '--bind_ip', '127.0.0.1', '--nounixsocket'],
  ...['--replSet', setName, '--oplogSize', '512', '--wiredTigerCacheSizeGB', String(cacheGb), '--quiet'],
  ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
  // The server decompresses messages before authentication: CVE-2025-14847 of zlib reads its memory.
  ...['--networkMessageCompressors', 'disabled'],
  // The localhost exception would let any user of the machine create the first database user.
  ...(keyFile === undefined
    ? []
    : ['--keyFile', keyFile, '--setParameter', 'enableLocalhostAuthBypass=false']),
];

/** Resolves when mongod accepts connections. Continues to read its output, because a full pipe would block mongod. */
async function untilReady(child: ChildProcess, log: Logger): Promise<void> {
  const errors: string[] = [];
  const ready = Promise.withResolvers<void>();
  const read = (stream: NodeJS.ReadableStream | null) => {
    if (!stream) return;
    createInterface({ input: stream }).on('line', (line) => {
      const entry = parse(line);
      if (entry.id === WAITING_FOR_CONNECTIONS) ready.resolve();
      if (entry.severity === 'I') return;
      log.debug({ mongod: entry.text }, 'mongod');
      if (entry.severity !== 'W') errors.push(entry.text);
      if (errors.length > 5) errors.splice(1, 1); // keeps the first one, which is the most specific
    });
  };
  read(child.stdout);
  read(child.stderr);
  child.once('error', (error) => ready.reject(new MongodStartError('other', `mongod: ${error.message}`)));
  child.once('close', (code, signal) => {
    const status = signal ? `signal ${signal}` : `exit code ${code}`;
    const message = errors.join('; ') || 'no message';
    const failure = FAILURES.find(([pattern]) => pattern.test(message))?.[1] ?? 'other';
    ready.reject(new MongodStartError(failure, `mongod exited with ${status}: ${message}`));
  });
  const cancelTimeout = new AbortController();
  const timeout = sleep(START_TIMEOUT_MS, undefined, { signal: cancelTimeout.signal }).then(() => {
    throw new MongodStartError('other', `mongod is not ready after ${START_TIMEOUT_MS / 1000} s`);
  });
  try {
    await Promise.race([ready.promise, timeout]);
  } finally {
    timeout.catch(() => {}); // rejects with the abort below
    cancelTimeout.abort();
  }
}

/** Id of the log line "Waiting for connections", unchanged since version 4.4. */
const WAITING_FOR_CONNECTIONS = 23016;

interface LogLine {
  s?: string;
  id?: number;
  msg?: string;
  attr?: { error?: unknown };
}

/**
 * Parses a log line. The severity is `F`, `E`, `W`, `I` or `D`; a line that is not JSON, such as one from the dynamic
 * linker or the option parser, is an error.
 */
function parse(line: string): { severity: string; id: number | undefined; text: string } {
  try {
    const { s = 'E', id, msg = line, attr }: LogLine = JSON.parse(line);
    const cause = attr?.error === undefined ? '' : ` (${JSON.stringify(attr.error)})`;
    return { severity: s[0] ?? 'E', id, text: msg + cause };
  } catch {
    return { severity: 'E', id: undefined, text: line };
  }
}

/** Allows this process to exit while mongod runs; the guard then terminates mongod. */
function unref(handle: unknown): void {
  if (handle && typeof handle === 'object' && 'unref' in handle && typeof handle.unref === 'function')
    handle.unref();
}
