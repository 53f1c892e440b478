import { execFile } from 'node:child_process';
import { readFile, realpath, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { withAdmin } from './replica-set.ts';

const run = promisify(execFile);

/** How long a running database may take to answer; it is on loopback. */
const ANSWER_TIMEOUT_MS = 2_000;

const State = z.object({
  /** Of the latest start, taken again when it is free: the replica set remembers it. */
  port: z.number().int(),
  /** Who runs the database; absent after an orderly stop, a claim to be checked after a crash. */
  owner: z.object({ pid: z.number().int(), mongodPid: z.number().int(), uri: z.string() }).optional(),
});
type State = z.infer<typeof State>;

/** An embedded database that a living process runs. */
export interface RunningMongo {
  uri: string;
  /** The process that started it and will end it. */
  pid: number;
}

/** Directory of the embedded database's files. */
export const databaseDir = (dataDir: string): string => join(resolve(dataDir), 'db');

const stateFile = (dataDir: string): string => join(resolve(dataDir), 'embedded.json');

/** What the latest start left behind; undefined when there was none, or it cannot be read. */
export async function readState(dataDir: string): Promise<State | undefined> {
  try {
    return State.parse(JSON.parse(await readFile(stateFile(dataDir), 'utf8')));
  } catch {
    return undefined;
  }
}

/** Replaces the file in one step; only its user can read it. */
export async function writeState(dataDir: string, state: State): Promise<void> {
  const file = stateFile(dataDir);
  await writeFile(`${file}.${process.pid}`, `${JSON.stringify(state)}\n`, { mode: 0o600 });
  await rename(`${file}.${process.pid}`, file);
}

/**
 * The embedded database of this data directory, if a living process runs it right now.
 * A file left by a crash does not deceive: the database itself must answer, from this very directory, as the recorded
 * process, and as the child of the recorded owner (a recycled pid is nobody's parent).
 */
export async function runningEmbeddedMongo(dataDir: string): Promise<RunningMongo | null> {
  const state = await readState(dataDir);
  if (!state?.owner) return null;
  const { pid, mongodPid, uri } = state.owner;
  return (await parentOf(mongodPid)) === pid && (await answers(dataDir, state)) ? { uri, pid } : null;
}

/** True while the recorded database, whose owner is gone, has not ended yet. */
export async function isEnding(dataDir: string): Promise<boolean> {
  const owner = (await readState(dataDir))?.owner;
  return owner !== undefined && (await parentOf(owner.mongodPid)) !== undefined;
}

/**
 * Ends a database whose owner is gone and whose guard was killed too, so that its files are not locked for ever.
 * Told over its own connection, after the same checks: no other process can be hit.
 */
export async function dismissOrphan(dataDir: string): Promise<void> {
  const state = await readState(dataDir);
  if (!state?.owner || (await parentOf(state.owner.mongodPid)) === state.owner.pid) return;
  if (!(await answers(dataDir, state))) return;
  // Its answer to `shutdown` is the end of the connection.
  await withAdmin(state.port, ANSWER_TIMEOUT_MS, (admin) =>
    admin.command({ shutdown: 1, force: true }),
  ).catch(() => {});
}

/** True when the recorded mongod answers at the recorded port, from this directory. */
async function answers(dataDir: string, { port, owner }: State): Promise<boolean> {
  try {
    const directory = await realpath(databaseDir(dataDir));
    return await withAdmin(port, ANSWER_TIMEOUT_MS, async (admin) => {
      const { parsed } = await admin.command({ getCmdLineOpts: 1 });
      if (parsed?.storage?.dbPath !== directory) return false;
      const { pid } = await admin.command({ serverStatus: 1 });
      return Number(pid) === owner?.mongodPid;
    });
  } catch {
    return false;
  }
}

/** Pid of a process's parent; undefined when the process is gone. */
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
