import { setTimeout as sleep } from 'node:timers/promises';
import { endWithParent } from '../../src/platform/embedded/end-with-parent.ts';
import { startCommand } from '../support/command.ts';
import { startTestMongo } from '../support/mongo.ts';
import type { BareCompareCalls } from './support/bare-compare.ts';
import { startChild } from './support/child.ts';
import { watchMemory } from './support/proc.ts';
import { compared, type Figure, single } from './support/report.ts';
import type { SampleLoadCalls } from './support/sample-load.ts';
import { FEATURES } from './support/samples.ts';
import { alternate, median, percentile } from './support/stats.ts';

const ROWS = 1_000_000;
/** Rows by which the reference grows in the end. */
const GROWTH = 1_000;
const PAIRS = 3;
const MEGABYTE = 1_000_000;
/** Between two questions for the health. */
const HEALTH_MS = 20;

interface Check {
  featureDrifts: { feature: string; score: number }[];
}

/** Loads a million reference and a million current rows into the reference sidecar and checks them. */
export async function sidecar(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack();
  const mongo = stack.adopt(await startTestMongo({ database: 'sidecar' }), (started) => started.stop());
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
  const loader = stack.use(startChild<SampleLoadCalls>('./sample-load.ts'));
  using memory = watchMemory(pid);
  using memoryWhileLoading = watchMemory(pid);
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

  const loads = [
    await loader.call('load', { url, set: 'reference', rows: ROWS }),
    await loader.call('load', { url, set: 'current', rows: ROWS }),
  ];
  const first = await check();
  const loadMb = memoryWhileLoading.stop().most / MEGABYTE;

  const bare = stack.use(startChild<BareCompareCalls>('./bare-compare.ts'));
  await bare.call('prepare', { rows: ROWS });
  const { scores } = await bare.call('compare', undefined);
  requireSame(first.answer, scores);
  const pairs = await alternate(
    PAIRS,
    async () => (await check()).ms,
    async () => (await bare.call('compare', undefined)).ms,
  );

  await loader.call('load', { url, set: 'reference', rows: GROWTH });
  const grown = await check();

  const waited = loads.map(({ waitedMs }) => waitedMs);
  const latencies = health.stop();
  return [
    single('load, rows/s', (2 * ROWS * 1000) / waited.reduce((sum, ms) => sum + ms, 0)),
    single('first check after the load, ms', first.ms, { atMost: 1000 }),
    compared('check against sort and count of columns in memory, ms', pairs, { atMost: 1 }),
    single('check right after the reference grew by 1,000 rows, ms', grown.ms, { atMost: 1000 }),
    single('resident memory at load and check, most, MB', loadMb, { atMost: 300 }),
    single('resident memory with a reference that grew, most, MB', memory.stop().most / MEGABYTE, {
      atMost: 300,
    }),
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
