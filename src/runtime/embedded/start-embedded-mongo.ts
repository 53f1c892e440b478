import { mkdir, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../errors/app-error.ts';
import type { Logger } from '../../platform/logger.ts';
import { freePort } from './free-port.ts';
import { loadOrCreateMongodKey } from './mongod-key.ts';
import { type Mongod, MongodStartError, startMongod } from './mongod-process.ts';
import { formReplicaSet, replicaSetUri } from './replica-set.ts';
import {
  databaseDir,
  isMongodAlive,
  readState,
  runningEmbeddedMongo,
  shutDownOrphan,
  writeState,
} from './running-embedded-mongo.ts';

const SET_NAME = 'engagement';

/** Time for the guard to stop a killed process's database, before the next start does it. */
const GRACE_MS = 3_000;

/** Time limit for the database of a process that has just exited to release its file lock. */
const LOCK_TIMEOUT_MS = 30_000;

const REMEDY = 'Start again, or set MONGODB_URI to a running replica set.';

interface StartEmbeddedMongoOptions {
  /** `DATA_DIR`; the database files are in its `db` directory. */
  dataDir: string;
  /** Path of the `mongod` executable, from `findMongod`. */
  binary: string;
  log: Logger;
  /** Database name in the connection string. */
  database?: string;
  /** Maximum size of the WiredTiger cache in gigabytes, at least 0.25. */
  cacheGb?: number;
  /** Time limit for acquiring the file lock of the database. */
  lockTimeoutMs?: number;
}

export interface EmbeddedMongo {
  /** Connection string of the replica set. */
  uri: string;
  /** Resolves when the database has exited, expectedly or not. */
  exited: Promise<void>;
  /** Shuts the database down; the data are preserved. */
  stop(): Promise<void>;
}

/**
 * Starts the persistent single-node replica set of a data directory (contract 1). If several processes start
 * it at the same time, the file lock of mongod admits one; the others fail when they read its state file.
 * @throws AppError CONFLICT if a live process runs it already, SERVICE_UNAVAILABLE if it cannot start
 */
export async function startEmbeddedMongo(options: StartEmbeddedMongoOptions): Promise<EmbeddedMongo> {
  const { dataDir, log, database = 'engagement' } = options;
  await mkdir(databaseDir(dataDir), { recursive: true, mode: 0o700 });
  const { path: keyFile, key } = await loadOrCreateMongodKey(dataDir);
  const mongod = await startExclusively(options, keyFile);
  const { port, pid: mongodPid, exited } = mongod;
  const exit = new AbortController();
  void exited.then(() => exit.abort());
  try {
    await formReplicaSet({ setName: SET_NAME, ports: [port], key, memberExit: exit.signal });
    const uri = replicaSetUri({ setName: SET_NAME, ports: [port], database, key });
    await writeState(dataDir, { port, owner: { pid: process.pid, mongodPid, uri } });
    log.info({ port }, 'the embedded MongoDB is running');
    return {
      uri,
      exited,
      async stop() {
        // Does not overwrite the state of a later start.
        const isCurrent = (await readState(dataDir))?.owner?.mongodPid === mongodPid;
        if (isCurrent) await writeState(dataDir, { port });
        await mongod.stop();
      },
    };
  } catch (error) {
    await mongod.stop();
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      `The embedded MongoDB ${exit.signal.aborted ? 'ended during its start' : 'started, but its replica set is not ready'}: ${error instanceof Error ? error.message : error}. ${REMEDY}`,
      { cause: error },
    );
  }
}

async function startExclusively(options: StartEmbeddedMongoOptions, keyFile: string): Promise<Mongod> {
  const { dataDir, binary, log, cacheGb = 0.5, lockTimeoutMs = LOCK_TIMEOUT_MS } = options;
  const dbPath = await realpath(databaseDir(dataDir));
  const startedAt = Date.now();
  let port = (await readState(dataDir))?.port ?? (await freePort());
  for (let attempt = 1; ; attempt++) {
    await refuseWhileRunning(dataDir);
    try {
      return await startMongod({ binary, dbPath, port, setName: SET_NAME, keyFile, cacheGb, log });
    } catch (error) {
      if (!(error instanceof MongodStartError)) throw error;
      const elapsedMs = Date.now() - startedAt;
      const isTransient = error.failure === 'database_in_use' || error.failure === 'port_in_use';
      if (!isTransient || elapsedMs > lockTimeoutMs) throw await startFailure(error, dbPath, lockTimeoutMs);
      if (attempt === 1)
        log.info({ reason: error.failure }, 'waiting for the embedded database of an earlier start to exit');

      const inGrace = elapsedMs < GRACE_MS;
      if (!inGrace) await shutDownOrphan(dataDir);
      const isExiting = error.failure === 'database_in_use' || (inGrace && (await isMongodAlive(dataDir)));
      if (isExiting) await sleep(250);
      else port = await freePort(); // another program uses the old port
    }
  }
}

/**
 * Refuses a second start with the same data directory. Checks twice, so that a process that was just killed does not
 * count as alive.
 * @throws AppError CONFLICT
 */
export async function refuseWhileRunning(dataDir: string): Promise<void> {
  if (!(await runningEmbeddedMongo(dataDir))) return;
  await sleep(300);
  const running = await runningEmbeddedMongo(dataDir);
  if (!running) return;
  throw new AppError(
    'CONFLICT',
    `The embedded database in ${dataDir} is in use by process ${running.pid}. Stop it first, or set another DATA_DIR.`,
  );
}

async function startFailure(
  error: MongodStartError,
  dbPath: string,
  lockTimeoutMs: number,
): Promise<AppError> {
  const holder = (await readFile(join(dbPath, 'mongod.lock'), 'utf8').catch(() => '')).trim() || 'unknown';
  const message = {
    database_in_use: `The embedded database in ${dbPath} is still locked after ${lockTimeoutMs / 1000} s (by process ${holder}). End that process, or set another DATA_DIR.`,
    other_version: `The embedded database in ${dbPath} was written by another version of MongoDB. Set MONGOD_BINARY to that version, or move the directory away to start with an empty database.`,
    port_in_use: `${error.message}. ${REMEDY}`,
    other: `The embedded MongoDB failed to start: ${error.message}. ${REMEDY}`,
  }[error.failure];
  return new AppError('SERVICE_UNAVAILABLE', message, { cause: error });
}
