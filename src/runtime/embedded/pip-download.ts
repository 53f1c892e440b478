import { execFile, spawn } from 'node:child_process';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { endWithParent } from './end-with-parent.ts';

const run = promisify(execFile);

/** Commands that run pip, most reliable first; not every system has each of them. */
const PIP_COMMANDS = [['python3', '-m', 'pip'], ['python', '-m', 'pip'], ['pip3'], ['pip']];

/** Time without data after which pip is killed; long enough for its own retries. */
const STALL_MS = 60_000;

/**
 * Attempts of a download that breaks off after it has begun. pip resumes a download itself since version 25.1; earlier ones
 * begin again.
 */
const MAX_ATTEMPTS = 5;

/** Line that pip prints when the response with a package has begun; the one of its metadata is an earlier request. */
const DOWNLOAD_BEGINS = /^\s*Downloading (?!\S*\.metadata\b)/m;

interface PipDownloadOptions {
  /** Package and version, in pip's syntax. */
  requirement: string;
  dir: string;
  /** Called periodically with the number of bytes on disk. */
  onBytes: (doneBytes: number) => void;
}

/**
 * Downloads one package with the user's pip configuration, using the first pip that succeeds.
 * @throws Error with the last error message of pip
 */
export async function pipDownload(options: PipDownloadOptions): Promise<void> {
  const seen = new Set<string>();
  let failure = 'no pip found (tried python3 -m pip, python -m pip, pip3, pip)';
  for (const command of PIP_COMMANDS) {
    const version = await run('env', [...command, '--version'], { timeout: 30_000 }).catch(() => undefined);
    if (!version || seen.has(version.stdout)) continue; // missing, or the same pip under another name
    seen.add(version.stdout);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const { reason, isBroken } = await download(command, options);
      if (!reason) return;
      failure = `${command.join(' ')}: ${reason}${attempt > 1 ? ` (attempt ${attempt})` : ''}`;
      if (!isBroken) break;
    }
  }
  throw new Error(failure);
}

interface Downloaded {
  /** Reason of a failure; undefined on success. */
  reason?: string;
  /** True if the failed download had begun, so that another attempt may succeed. */
  isBroken?: boolean;
}

/** Downloads once with one pip command. */
async function download(
  command: string[],
  { requirement, dir, onBytes }: PipDownloadOptions,
): Promise<Downloaded> {
  const temporary = join(dir, 'pip');
  await mkdir(temporary, { recursive: true });
  const flags = ['download', '--no-deps', '--only-binary=:all:', '--disable-pip-version-check', '--no-input'];
  // pip reports no progress without a terminal. TMPDIR puts its temporary files into `dir`, whose size is measured.
  const args = [
    `TMPDIR=${temporary}`,
    `PIP_RESUME_RETRIES=${MAX_ATTEMPTS}`,
    ...command,
    ...flags,
    '--progress-bar',
    'off',
    '--dest',
    dir,
    requirement,
  ];
  const child = spawn('env', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const stopGuard = child.pid ? endWithParent(child.pid) : () => {};
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout = (stdout + chunk).slice(-4000);
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk).slice(-4000);
  });

  let size = 0;
  let grewAt = Date.now();
  let stalled = false;
  let hasBegun = false;
  const watch = setInterval(async () => {
    const now = await directorySize(dir);
    if (now !== size) [size, grewAt] = [now, Date.now()];
    hasBegun ||= size > 0;
    onBytes(size);
    stalled = Date.now() - grewAt > STALL_MS;
    if (stalled) child.kill('SIGKILL');
  }, 250);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', resolve);
    });
    if (code === 0) return {};
    const reason = stalled ? `nothing received for ${STALL_MS / 1000} s` : lastError(stderr);
    // A download that breaks off at once leaves no bytes to see; a quiet pip prints nothing.
    hasBegun ||= DOWNLOAD_BEGINS.test(stdout);
    return { reason: reason || `exit code ${code}`, isBroken: hasBegun && !stalled };
  } finally {
    clearInterval(watch);
    stopGuard();
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Returns the last error message of pip; of a traceback, which begins with `ERROR: Exception:`, the last line. */
function lastError(stderr: string): string | undefined {
  const lines = stderr.trim().split('\n');
  const error = lines.findLast((line) => line.startsWith('ERROR:'));
  return error === undefined || error.startsWith('ERROR: Exception:') ? lines.at(-1) : error;
}

async function directorySize(dir: string): Promise<number> {
  const entries = await readdir(dir, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(
    entries.map((name) =>
      stat(join(dir, name)).then(
        (entry) => (entry.isFile() ? entry.size : 0),
        () => 0, // deleted since it was listed
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
