import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import mongoose from 'mongoose';

/** A temporary directory that goes with its scope: `await using dir = await temporaryDir()`. */
export async function temporaryDir(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'engagement-embedded-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Writes an executable script that answers `--version` as a `mongod` of this version would. */
export async function fakeMongod(path: string, version: string): Promise<string> {
  return script(path, `echo "db version v${version}"`);
}

/** Writes an executable shell script. */
export async function script(path: string, body: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\n${body}\n`);
  await chmod(path, 0o755);
  return path;
}

/** A separate process that runs the embedded database of `dataDir`, in a process group of its own. */
export interface Owner {
  child: ChildProcess;
  /** Its one line: the connection string, or why it was refused. */
  answer: { uri?: string; error?: string };
  /** Resolves with the exit code once it has ended; null after a signal. */
  ended: Promise<number | null>;
}

export async function startOwner(dataDir: string): Promise<Owner> {
  const file = fileURLToPath(new URL('./embedded-owner.ts', import.meta.url));
  const child = spawn(process.execPath, [file, dataDir], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const line = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => setTimeout(reject, 200, new Error('the owner ended without an answer')));
    createInterface({ input: child.stdout }).once('line', resolve);
  });
  return { child, answer: JSON.parse(line), ended };
}

/** Pids of the running processes whose command line contains `text`. */
export function processesWith(text: string): number[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,stat=,args='], { encoding: 'utf8' }).split('\n');
  return lines
    .filter((line) => line.includes(text) && !/^\s*\d+\s+Z/.test(line))
    .map((line) => Number.parseInt(line, 10));
}

/** Runs `work` on the database that the connection string names. */
export async function withDatabase<Result>(
  uri: string,
  work: (db: mongoose.mongo.Db) => Promise<Result>,
): Promise<Result> {
  const client = new mongoose.mongo.MongoClient(uri, { serverSelectionTimeoutMS: 5000 });
  try {
    return await work(client.db());
  } finally {
    await client.close();
  }
}

/** Contents of a directory, and of a text file; empty when there is none. */
export const list = (dir: string): Promise<string[]> => readdir(dir).catch(() => []);
export const read = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '');
