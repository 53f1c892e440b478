import { execFile } from 'node:child_process';
import { readFile, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { loadOrCreateMongodKey } from './mongod-key.ts';
import { withAdmin } from './replica-set.ts';
import { readStateFile, replaceStateFile } from './state-file.ts';

const run = promisify(execFile);

/** Response time limit of a database on loopback. */
const RESPONSE_TIMEOUT_MS = 2_000;

const State = z.object({
  /** Port of the latest start. The next start reuses it if it is free, because the replica set stores it. */
  port: z.number().int(),
  /** Process that runs the database; absent after an orderly stop, possibly outdated after a crash. */
  owner: z.object({ pid: z.number().int(), mongodPid: z.number().int(), uri: z.string() }).optional(),
});
type State = z.infer<typeof State>;

/** An embedded database that a living process runs. */
export interface RunningMongo {
  uri: string;
  /** Id of the process that started it and will stop it. */
  pid: number;
}

/** Returns the directory of the database files. */
export const databaseDir = (dataDir: string): string => join(resolve(dataDir), 'db');

const stateFile = (dataDir: string): string => join(resolve(dataDir), 'embedded.json');

/** Reads the state of the latest start; null if there is none, or if it is not readable. */
export const readState = (dataDir: string): Promise<State | null> => readStateFile(State, stateFile(dataDir));

export const writeState = (dataDir: string, state: State): Promise<void> =>
  replaceStateFile(stateFile(dataDir), state);

/**
 * Returns the embedded database of a data directory if a live process runs it; otherwise null. A state file left by a
 * crash is detected: the database must respond with this data directory and the recorded process id, and be a child of
 * the recorded owner, which excludes a reused process id.
 */
export async function runningEmbeddedMongo(dataDir: string): Promise<RunningMongo | null> {
  const state = await readState(dataDir);
  if (!state?.owner) return null;
  const { pid, mongodPid, uri } = state.owner;
  return (await parentOf(mongodPid)) === pid && (await responds(dataDir, state)) ? { uri, pid } : null;
}

/** Returns true while the recorded mongod process exists. */
export async function isMongodAlive(dataDir: string): Promise<boolean> {
  const owner = (await readState(dataDir))?.owner;
  return owner !== undefined && (await parentOf(owner.mongodPid)) !== undefined;
}

/**
 * Shuts down a database whose owner has exited and whose guard was killed, so that its files do not stay locked. Uses
 * the `shutdown` command after the same checks, so that it cannot stop another process.
 */
export async function shutDownOrphan(dataDir: string): Promise<void> {
  const state = await readState(dataDir);
  if (!state?.owner || (await parentOf(state.owner.mongodPid)) === state.owner.pid) return;
  if (!(await responds(dataDir, state))) return;
  // mongod responds to `shutdown` by closing the connection.
  const member = await memberOf(dataDir, state);
  await withAdmin(member, (admin) => admin.command({ shutdown: 1, force: true })).catch(() => {});
}

async function memberOf(dataDir: string, { port }: State) {
  const { key } = await loadOrCreateMongodKey(dataDir);
  return { port, key, timeoutMs: RESPONSE_TIMEOUT_MS };
}

/** Returns true if the recorded mongod responds at the recorded port and uses this directory. */
async function responds(dataDir: string, state: State): Promise<boolean> {
  try {
    const directory = await realpath(databaseDir(dataDir));
    return await withAdmin(await memberOf(dataDir, state), async (admin) => {
      const { parsed } = await admin.command({ getCmdLineOpts: 1 });
      if (parsed?.storage?.dbPath !== directory) return false;
      const { pid } = await admin.command({ serverStatus: 1 });
      return Number(pid) === state.owner?.mongodPid;
    });
  } catch {
    return false;
  }
}

/** Returns the parent of a process; undefined if the process does not exist. */
async function parentOf(pid: number): Promise<number | undefined> {
  const ppid = await readFile(`/proc/${pid}/stat`, 'utf8').then(
    (stat) => stat.split(') ').at(-1)?.split(' ')[1], // "pid (name) state ppid ...", proc(5)
    () =>
      run('ps', ['-o', 'ppid=', '-p', String(pid)]).then(
        ({ stdout }) => stdout,
        () => undefined,
      ),
  );
  return Number(ppid) || undefined;
}
