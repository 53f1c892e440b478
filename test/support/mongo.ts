import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import mongoose from 'mongoose';
import { createLogger } from '../../src/platform/logger.ts';
import { createProgress } from '../../src/runtime/embedded/download-progress.ts';
import { findMongod, type MongodBinary } from '../../src/runtime/embedded/find-mongod.ts';
import { freePort } from '../../src/runtime/embedded/free-port.ts';
import { type Mongod, startMongod } from '../../src/runtime/embedded/mongod-process.ts';
import { formReplicaSet, replicaSetUri } from '../../src/runtime/embedded/replica-set.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

const SET_NAME = 'test';
/** Longest wait for a command that fails. */
const FAILING_WITHIN_MS = 30_000;

/** File system in memory on Linux: a journal flush costs several times less than on a disk. */
const MEMORY_DIR = '/dev/shm';
/** Available memory, and free space of that file system, for it to be used: several times what a whole run writes. Bytes. */
const MIN_FREE_BYTES = 8 * 1024 ** 3;

/** Returns the directory for data: in memory if there is plenty, which a container often restricts. */
async function temporaryRoot(): Promise<string> {
  const system = await statfs(MEMORY_DIR).catch(() => null);
  const freeBytes = system === null ? 0 : system.bavail * system.bsize;
  return Math.min(freeBytes, process.availableMemory()) < MIN_FREE_BYTES ? tmpdir() : MEMORY_DIR;
}

/** Waits for the end of this process, and for that of its `mongod`, which has 10 s. */
const REMOVAL_SCRIPT = 'read -r _; sleep 15; rm -rf "$1"';

/** Removes a directory after this process has ended, even by `kill -9`. @returns stops that */
function removeAfterExit(directory: string): () => void {
  const remover = spawn('/bin/sh', ['-c', REMOVAL_SCRIPT, 'remover', directory], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  remover.on('error', () => {}); // without a shell, only an orderly exit removes the data
  remover.unref();
  if ('unref' in remover.stdin && typeof remover.stdin.unref === 'function') remover.stdin.unref();
  return () => void remover.kill();
}

/** Where the tests, like the service, keep a fetched binary. */
const projectDataDir = resolve(import.meta.dirname, '../../.data');

/** A real replica set with its data in a temporary directory. */
export interface TestMongo {
  uri: string;
  members: Mongod[];
  /** In front of each member, for clients and members alike; empty unless `proxies`. */
  proxies: TcpProxy[];
  /** Index of the primary. */
  primary(): Promise<number>;
  /** Runs an admin command on one member. */
  command(member: number, command: mongoose.mongo.Document): Promise<void>;
  /** Makes commands of clients fail, or ends it; requires `failpoints`. */
  failCommands(data: FailCommands | 'off'): Promise<void>;
  /** Resolves once a command fails, or is blocked, since the last `failCommands`. */
  commandFailing(): Promise<void>;
  /** Makes the primary step down; with three members another one takes over within seconds. */
  stepDown(): Promise<void>;
  /** Stops the secondaries from acknowledging writes, while all members respond. */
  lockSecondaries(): Promise<void>;
  unlockSecondaries(): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/** Commands on a collection of the database that fail (https://github.com/mongodb/mongo/wiki/The-failCommand-Fail-Point). */
export interface FailCommands {
  commands: string[];
  collection: string;
  /** How they fail: by default they do not run, and their connections close. */
  failure?:
    | { closeConnection: true }
    /** They run, and report this error of their write concern. */
    | { writeConcernError: { code: number; errmsg: string } }
    /** They run after this time. */
    | { blockConnection: true; blockTimeMS: number };
  /** Number of commands that fail; all by default. */
  times?: number;
  /** Share of the commands that fail; all by default. */
  probability?: number;
}

/** The `mongod` that the tests run on; fetched once, then kept in the project's data directory. */
export const testMongod = (): Promise<MongodBinary> =>
  findMongod({
    dataDir: projectDataDir,
    override: process.env.MONGOD_BINARY || undefined,
    searchPath: process.env.PATH ?? '',
    progress: createProgress(),
    log: createLogger('silent'),
  });

interface TestMongoOptions {
  /** Number of members; one by default. */
  members?: number;
  database?: string;
  /** Size of the cache of each member. */
  cacheGb?: number;
  /** Directory for the data of the only member, which is kept; a temporary one by default. */
  dataDir?: string | null;
  /** Permits `failCommands`. */
  failpoints?: boolean;
  /** Removes expired documents every second, instead of every minute. */
  expiresPromptly?: boolean;
  /** Time after which a transaction is aborted, such as one of a killed process. Seconds; a minute by default. */
  transactionLifetime?: number;
  /** Connects clients and members through TCP proxies, which can be cut. */
  proxies?: boolean;
}

/** Starts a replica set: one member in half a second, three (for step-downs and crashes) in about three. */
export async function startTestMongo({
  members: size = 1,
  database = 'test',
  cacheGb = 0.25,
  dataDir = null,
  failpoints = false,
  expiresPromptly = false,
  transactionLifetime,
  proxies: isProxied = false,
}: TestMongoOptions = {}): Promise<TestMongo> {
  const { path: mongod } = await testMongod();
  const root = await mkdtemp(join(await temporaryRoot(), 'engagement-mongo-'));
  const stopRemover = removeAfterExit(root);
  const parameters = [
    ...(failpoints ? ['enableTestCommands=1'] : []),
    ...(expiresPromptly ? ['ttlMonitorSleepSecs=1'] : []),
    ...(transactionLifetime ? [`transactionLifetimeLimitSeconds=${transactionLifetime}`] : []),
  ];
  const binary = parameters.length > 0 ? await withParameters(mongod, parameters) : mongod;
  if (dataDir !== null) await mkdir(dataDir, { recursive: true });
  const members = await Promise.all(
    Array.from({ length: size }, async () => {
      const dbPath = dataDir ?? (await mkdtemp(join(root, 'member-')));
      const options = { binary, dbPath, port: await freePort(), setName: SET_NAME, cacheGb };
      return startMongod({ ...options, log: createLogger('silent') });
    }),
  ).finally(() => (binary === mongod ? null : rm(dirname(binary), { recursive: true })));
  const proxies = isProxied
    ? await Promise.all(members.map(({ port }) => startTcpProxy(`http://127.0.0.1:${port}`)))
    : [];
  const ports = isProxied
    ? proxies.map(({ url }) => Number(new URL(url).port))
    : members.map(({ port }) => port);
  const abandon = () => {
    for (const member of members) void member.kill();
    rmSync(root, { recursive: true, force: true });
  };
  process.once('exit', abandon); // a test that ends without `stop` leaves nothing either

  // Heartbeats and elections in seconds rather than tens of them: all members are on this machine.
  const settings = { heartbeatIntervalMillis: 200, electionTimeoutMillis: 2000 };
  await formReplicaSet({ setName: SET_NAME, ports, settings });
  const uri = replicaSetUri({ setName: SET_NAME, ports, database });
  /** Number of commands that had failed before the last `failCommands`. */
  let timesFailed = 0;
  return {
    uri,
    members,
    proxies,
    primary: () => primaryOf(uri, ports),
    async command(member, command) {
      await asAdmin(`mongodb://127.0.0.1:${members[member]?.port}/?directConnection=true`, command);
    },
    async failCommands(data) {
      timesFailed = await failCommands(uri, database, data);
    },
    async commandFailing() {
      const timesEntered = timesFailed + 1;
      await asAdmin(uri, { waitForFailPoint: 'failCommand', timesEntered, maxTimeMS: FAILING_WITHIN_MS });
    },
    stepDown: () => stepDown(uri),
    lockSecondaries: () => onSecondaries(ports, { fsync: 1, lock: true }),
    unlockSecondaries: () => onSecondaries(ports, { fsyncUnlock: 1 }),
    async stop() {
      // Data in the temporary directory is no longer needed.
      await Promise.all(members.map((member) => (dataDir === null ? member.kill() : member.stop())));
      await Promise.all(proxies.map((proxy) => proxy[Symbol.asyncDispose]()));
      await rm(root, { recursive: true, force: true });
      process.off('exit', abandon);
      stopRemover();
    },
  };
}

/** Writes a script that starts `mongod` with parameters, to the disk: containers often permit no programs in memory. */
async function withParameters(mongod: string, parameters: string[]): Promise<string> {
  const script = join(await mkdtemp(join(tmpdir(), 'engagement-mongod-')), 'mongod.sh');
  const options = parameters.map((parameter) => `--setParameter ${parameter}`).join(' ');
  const lines = ['#!/bin/sh', `exec '${mongod}' "$@" ${options}`, ''];
  await writeFile(script, lines.join('\n'), { mode: 0o755 });
  return script;
}

const modeOf = ({ times, probability }: FailCommands) => {
  if (probability !== undefined) return { activationProbability: probability };
  return times === undefined ? 'alwaysOn' : { times };
};

/** Returns how many commands have failed so far. */
async function failCommands(uri: string, database: string, data: FailCommands | 'off'): Promise<number> {
  const { count } = await asAdmin(uri, {
    configureFailPoint: 'failCommand',
    ...(data === 'off'
      ? { mode: 'off' }
      : {
          mode: modeOf(data),
          data: {
            failCommands: data.commands,
            namespace: `${database}.${data.collection}`,
            ...(data.failure ?? { closeConnection: true }),
          },
        }),
  });
  return Number(count);
}

async function stepDown(uri: string): Promise<void> {
  await asAdmin(uri, { replSetStepDown: 10, secondaryCatchUpPeriodSecs: 5 });
}

const onSecondaries = async (ports: number[], command: mongoose.mongo.Document): Promise<void> => {
  await Promise.all(
    ports.map(async (port) => {
      const client = new mongoose.mongo.MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`);
      try {
        const { secondary } = await client.db('admin').command({ hello: 1 });
        if (secondary) await client.db('admin').command(command);
      } finally {
        await client.close();
      }
    }),
  );
};

async function primaryOf(uri: string, ports: readonly number[]): Promise<number> {
  const client = new mongoose.mongo.MongoClient(uri);
  try {
    const { primary } = await client.db('admin').command({ hello: 1 });
    return ports.findIndex((port) => String(primary).endsWith(`:${port}`));
  } finally {
    await client.close();
  }
}

async function asAdmin(uri: string, command: mongoose.mongo.Document): Promise<mongoose.mongo.Document> {
  const client = new mongoose.mongo.MongoClient(uri);
  try {
    return await client.db('admin').command(command);
  } finally {
    await client.close();
  }
}
