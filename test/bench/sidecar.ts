import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endWithParent } from '../../src/runtime/embedded/end-with-parent.ts';
import { startChild } from '../support/child-process.ts';
import { startCommand } from '../support/command.ts';
import { startTestMongo } from '../support/mongo.ts';
import type { BareCompareCalls } from './support/bare-compare.ts';
import { cpuMs, watchMemory } from './support/proc.ts';
import { compared, type Figure, single } from './support/report.ts';
import type { SampleFileCalls } from './support/sample-file.ts';
import { runLoad } from './support/sample-loads.ts';
import { FEATURES, type SampleSet } from './support/samples.ts';
import { alternate, median, percentile } from './support/stats.ts';

const DEFAULT_ROWS = 1_000_000;
/** Rows by which each set grows in the end. */
const GROWTH = 1_000;
/** Comparisons with the baseline; its duration grows with the number of rows. */
const pairsOf = (rows: number): number => (rows > DEFAULT_ROWS ? 1 : 3);
/** Size of the database's cache in GB, as in embedded mode. */
const CACHE_GB = 0.5;
const MEGABYTE = 1_000_000;
/** Between two questions for the health. */
const HEALTH_MS = 20;

interface Check {
  featureDrifts: { feature: string; score: number }[];
}

interface Options {
  /** Rows of each set. */
  rows?: number | undefined;
}

/** Loads CSV files of reference and current rows into the reference sidecar and checks them. */
export async function sidecar({ rows = DEFAULT_ROWS }: Options): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack();
  const mongo = stack.adopt(await startTestMongo({ database: 'sidecar', cacheGb: CACHE_GB }), (started) =>
    started.stop(),
  );
  const dir = stack.adopt(await mkdtemp(join(tmpdir(), 'bench-sidecar-')), (path) =>
    rm(path, { recursive: true, force: true }),
  );
  const writers = [
    stack.use(startChild<SampleFileCalls>(import.meta.resolve('./support/sample-file.ts'))),
    stack.use(startChild<SampleFileCalls>(import.meta.resolve('./support/sample-file.ts'))),
  ];
  const pathOf = (set: SampleSet, count: number): string => join(dir, `${set}-${count}.csv`);
  await Promise.all(
    writers.map(async (writer, index) => {
      const set = index === 0 ? 'reference' : 'current';
      for (const count of [rows, GROWTH])
        await writer.call('write', { path: pathOf(set, count), set, rows: count });
    }),
  );

  const command = stack.adopt(
    startCommand(['sidecar', '--port', '0', '--json'], { MONGODB_URI: mongo.uri }),
    async (running) => {
      running.process.kill('SIGTERM');
      await running.ended;
    },
  );
  const pid = command.process.pid ?? 0;
  stack.defer(endWithParent(pid));
  const [, url = ''] = await command.printed(/"url": "(.*)"/);
  const mongodPid = mongo.members[0]?.pid ?? 0;
  using memory = watchMemory(pid);
  using health = watchHealth(url);

  async function check(): Promise<{ ms: number; answer: Check }> {
    const startedAt = performance.now();
    const response = await fetch(`${url}/drift/check`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    const answer = (await response.json()) as Check;
    return { ms: performance.now() - startedAt, answer };
  }
  const load = (set: SampleSet, count: number) => runLoad(url, set, pathOf(set, count), count);

  const cpuBefore = { sidecar: cpuMs(pid), mongod: cpuMs(mongodPid) };
  const loads = [await load('reference', rows), await load('current', rows)];
  const first = await check();
  const cpu = { sidecar: cpuMs(pid) - cpuBefore.sidecar, mongod: cpuMs(mongodPid) - cpuBefore.mongod };

  await load('reference', GROWTH);
  const afterReference = await check();
  await load('current', GROWTH);
  const afterCurrent = await check();
  const memoryMb = memory.stop().most / MEGABYTE;
  const latencies = health.stop();

  const bare = stack.use(startChild<BareCompareCalls>(import.meta.resolve('./support/bare-compare.ts')));
  await bare.call('prepare', { rows });
  requireSame(first.answer, (await bare.call('compare', undefined)).scores);
  const pairs = await alternate(
    pairsOf(rows),
    async () => (await check()).ms,
    async () => (await bare.call('compare', undefined)).ms,
  );

  const sum = (numbers: number[]): number => numbers.reduce((all, number) => all + number, 0);
  const microsecondsPerRow = (ms: number): number => (ms * 1_000) / (2 * rows);
  return [
    single('load from CSV, rows/s', (2 * rows * 1000) / sum(loads.map(({ ms }) => ms)), { atLeast: 200_000 }),
    single('the same, CPU of the command, µs/row', microsecondsPerRow(sum(loads.map((run) => run.cpuMs)))),
    single('the same, CPU of the sidecar, µs/row', microsecondsPerRow(cpu.sidecar)),
    single('the same, CPU of mongod, µs/row', microsecondsPerRow(cpu.mongod)),
    single('first check after the load, ms', first.ms, { atMost: 50 }),
    single('check after 1,000 new rows of the reference, ms', afterReference.ms, { atMost: 500 }),
    single('check after 1,000 new rows of the current set, ms', afterCurrent.ms, { atMost: 500 }),
    compared('check against sort and count of columns in memory, ms', pairs, { atMost: 1 }),
    single('resident memory of the sidecar, most, MB', memoryMb, { atMost: 400 }),
    single('health meanwhile, p50, ms', median(latencies)),
    single('health meanwhile, p99, ms', percentile(latencies, 0.99)),
    single('health meanwhile, most, ms', Math.max(...latencies), { atMost: 100 }),
  ];
}

/** @throws Error when a score is not the one that the formula gives over all rows */
function requireSame({ featureDrifts }: Check, scores: Record<string, number>): void {
  if (featureDrifts.length !== FEATURES + 2) throw new Error(`${featureDrifts.length} scores came.`);
  for (const { feature, score } of featureDrifts) {
    const expected = scores[feature] ?? Number.NaN;
    if (!(Math.abs(score - expected) < 1e-9)) throw new Error(`${feature}: ${score} instead of ${expected}.`);
  }
}

/** Asks for the health all the time. `stop` gives how long each answer took, in milliseconds. */
function watchHealth(url: string): { stop(): number[] } & Disposable {
  const latencies: number[] = [];
  let on = true;
  const stop = () => {
    on = false;
    return latencies;
  };
  void (async () => {
    while (on) {
      const askedAt = performance.now();
      const response = await fetch(`${url}/health`).catch(() => null);
      await response?.arrayBuffer();
      latencies.push(response?.ok ? performance.now() - askedAt : Number.POSITIVE_INFINITY);
      await sleep(HEALTH_MS, undefined, { ref: false });
    }
  })();
  return { stop, [Symbol.dispose]: () => void stop() };
}
