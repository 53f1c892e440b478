import { execFile, spawn } from 'node:child_process';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { endWithParent } from './end-with-parent.ts';

const run = promisify(execFile);

/** Where pip is found, most reliable first: systems differ in which of these exist. */
const COMMANDS = [['python3', '-m', 'pip'], ['python', '-m', 'pip'], ['pip3'], ['pip']];

/** Silence after which pip is given up; it retries by itself within that time. */
const STALL_MS = 60_000;

/**
 * Downloads one package with the first pip that manages to, with the user's own pip configuration.
 * @param onBytes called with the bytes on disk so far
 * @throws Error with pip's last words
 */
export async function pipDownload(
  requirement: string,
  dir: string,
  onBytes: (done: number) => void,
): Promise<void> {
  const seen = new Set<string>();
  let failure = 'no pip found (tried python3 -m pip, python -m pip, pip3, pip)';
  for (const command of COMMANDS) {
    const version = await run('env', [...command, '--version'], { timeout: 30_000 }).catch(() => undefined);
    if (!version || seen.has(version.stdout)) continue; // the same pip under another name fails the same way
    seen.add(version.stdout);
    const reason = await download(command, requirement, dir, onBytes);
    if (!reason) return;
    failure = `${command.join(' ')}: ${reason}`;
  }
  throw new Error(failure);
}

/** @returns why it failed, or undefined */
async function download(
  command: string[],
  requirement: string,
  dir: string,
  onBytes: (done: number) => void,
): Promise<string | undefined> {
  const temporary = join(dir, 'pip');
  await mkdir(temporary, { recursive: true });
  const options = [
    'download',
    '--no-deps',
    '--only-binary=:all:',
    '--disable-pip-version-check',
    '--no-input',
  ];
  // pip shows no progress without a terminal: its temporary files, kept in sight by TMPDIR, tell it.
  const args = [
    `TMPDIR=${temporary}`,
    ...command,
    ...options,
    '--progress-bar',
    'off',
    '--dest',
    dir,
    requirement,
  ];
  const child = spawn('env', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const release = child.pid ? endWithParent(child.pid) : () => {};
  let words = '';
  child.stderr.on('data', (chunk: Buffer) => {
    words = (words + chunk).slice(-4000);
  });

  let size = 0;
  let grewAt = Date.now();
  let stalled = false;
  const watch = setInterval(async () => {
    const now = await directorySize(dir);
    if (now !== size) [size, grewAt] = [now, Date.now()];
    onBytes(size);
    stalled = Date.now() - grewAt > STALL_MS;
    if (stalled) child.kill('SIGKILL');
  }, 250);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', resolve);
    });
    if (code === 0) return undefined;
    return stalled ? `nothing received for ${STALL_MS / 1000} s` : lastError(words) || `exit code ${code}`;
  } finally {
    clearInterval(watch);
    release();
    await rm(temporary, { recursive: true, force: true });
  }
}

const lastError = (words: string): string | undefined =>
  words
    .trim()
    .split('\n')
    .findLast((line) => line.startsWith('ERROR:')) ?? words.trim().split('\n').at(-1);

async function directorySize(dir: string): Promise<number> {
  const entries = await readdir(dir, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(
    entries.map((name) =>
      stat(join(dir, name)).then(
        (entry) => (entry.isFile() ? entry.size : 0),
        () => 0, // gone since it was listed
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
