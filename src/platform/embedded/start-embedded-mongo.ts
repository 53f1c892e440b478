import { mkdir, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../errors.ts';
import type { Logger } from '../logger.ts';
import { freePort } from './free-port.ts';
import { type Mongod, MongodStartError, startMongod } from './mongod-process.ts';
import { formReplicaSet, replicaSetUri } from './replica-set.ts';
import {
  databaseDir,
  dismissOrphan,
  isEnding,
  readState,
  runningEmbeddedMongo,
  writeState,
} from './running-embedded-mongo.ts';

const SET_NAME = 'engagement';

/** How long the database of an owner that was killed may take to end before the next start sees to it. */
const GRACE_MS = 3_000;

/** How long a start waits for the database of a process that just ended to let go of its files. */
const LOCK_TIMEOUT_MS = 30_000;

interface StartEmbeddedMongoOptions {
  /** `DATA_DIR`; the database is kept in its `db`. */
  dataDir: string;
  /** Path of the `mongod` to run, from `findMongod`. */
  binary: string;
  log: Logger;
  /** Database that the connection string names. */
  database?: string;
  /** Bound of the WiredTiger cache in gigabytes, at least 0.25. */
  cacheGb?: number;
  /** Milliseconds to wait for the database's lock. */
  lockTimeout?: number;
}

export interface EmbeddedMongo {
  /** Connection string of the replica set. */
  uri: string;
  /** Resolves when the database has ended, asked for or not. */
  exited: Promise<void>;
  /** Orderly; the data stay. */
  stop(): Promise<void>;
}

/**
 * Starts the kept single-node replica set of a data directory (contract section 1). mongod's own lock on its
 * files decides between starts that race; who lost finds out from the winner's record, or waits for its end.
 * @throws AppError CONFLICT when a living process runs it already, SERVICE_UNAVAILABLE when it cannot start
 */
export async function startEmbeddedMongo(options: StartEmbeddedMongoOptions): Promise<EmbeddedMongo> {
  const { dataDir, log, database = 'engagement' } = options;
  await mkdir(databaseDir(dataDir), { recursive: true, mode: 0o700 });
  const mongod = await startExclusively(options);
  const { port, pid: mongodPid, exited } = mongod;
  try {
    await formReplicaSet({ setName: SET_NAME, ports: [port] });
    const uri = replicaSetUri(SET_NAME, [port], database);
    await writeState(dataDir, { port, owner: { pid: process.pid, mongodPid, uri } });
    log.info({ port }, 'The embedded MongoDB is running.');
    return {
      uri,
      exited,
      async stop() {
        const recorded = (await readState(dataDir))?.owner?.mongodPid === mongodPid; // not a later start's record
        if (recorded) await writeState(dataDir, { port });
        await mongod.stop();
      },
    };
  } catch (error) {
    await mongod.stop();
    throw new AppError('SERVICE_UNAVAILABLE', 'The embedded MongoDB started but does not serve.', {
      cause: error,
    });
  }
}

async function startExclusively(options: StartEmbeddedMongoOptions): Promise<Mongod> {
  const { dataDir, binary, log, cacheGb = 0.5, lockTimeout = LOCK_TIMEOUT_MS } = options;
  const dbPath = await realpath(databaseDir(dataDir));
  const began = Date.now();
  let port = (await readState(dataDir))?.port ?? (await freePort());
  for (let attempt = 1; ; attempt++) {
    await refuseWhileRunning(dataDir);
    try {
      return await startMongod({ binary, dbPath, port, setName: SET_NAME, cacheGb, log });
    } catch (error) {
      if (!(error instanceof MongodStartError)) throw error;
      const waited = Date.now() - began;
      const passing = error.failure === 'database_in_use' || error.failure === 'port_in_use';
      if (!passing || waited > lockTimeout) throw await startFailure(error, dbPath, lockTimeout);
      if (attempt === 1)
        log.info({ reason: error.failure }, 'Waiting for the embedded database of an earlier start.');

      const grace = waited < GRACE_MS;
      if (!grace) await dismissOrphan(dataDir);
      const ending = error.failure === 'database_in_use' || (grace && (await isEnding(dataDir)));
      if (ending) await sleep(250);
      else port = await freePort(); // the old one belongs to another program now
    }
  }
}

/**
 * Why a second start on one data directory is refused; looked at twice, so that an owner that was killed in this very
 * moment does not count as alive.
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

async function startFailure(error: MongodStartError, dbPath: string, lockTimeout: number): Promise<AppError> {
  const holder = (await readFile(join(dbPath, 'mongod.lock'), 'utf8').catch(() => '')).trim() || 'unknown';
  const message = {
    database_in_use: `The embedded database in ${dbPath} is still locked after ${lockTimeout / 1000} s (by process ${holder}). End that process, or set another DATA_DIR.`,
    other_version: `The embedded database in ${dbPath} was written by another version of MongoDB. Set MONGOD_BINARY to that version, or move the directory away to begin anew.`,
    port_in_use: error.message,
    other: `The embedded MongoDB does not start: ${error.message}`,
  }[error.failure];
  return new AppError('SERVICE_UNAVAILABLE', message, { cause: error });
}
