import { freePort } from '../../src/runtime/embedded/free-port.ts';
import { type Child, startChild } from '../support/child-process.ts';
import { startTestMongo } from '../support/mongo.ts';
import type { AttackCalls, AttackName, AttackResult } from './support/attacks.ts';
import { createHostileTenant } from './support/hostile-tenant.ts';
import { type Latencies, type NormalTraffic, startNormalTraffic } from './support/normal-traffic.ts';
import { residentBytes, watchMemory } from './support/proc.ts';
import { type Figure, single } from './support/report.ts';
import { type BenchService, startService } from './support/service.ts';
import type { SinkCalls } from './support/sink.ts';
import { startTraffic } from './support/traffic.ts';

const PHASE_SECONDS = 20;
const ROUND_SECONDS = 30;
const MAX_HEALTH_MS = 500;
const MAX_EVENT_MS = 1_000;
const MAX_GROWTH = 1.15;
const MAX_UNSENT_GROWTH_MB = 64;

const ATTACKS: Record<AttackName, string> = {
  zeros: '500,000 zeros as variables',
  introspection: 'introspection, 4 clients',
  nestedJson: 'nested JSON, Idempotency-Keys',
  unreadTranscripts: '8 unread reads of transcripts',
  unreadByManyKeys: '8 unread 16 MB reads, 10 keys',
  unreadBundles: '60 unread GraphiQL bundles',
  activity: 'activity, 3 aliases, 6 clients',
  subscriptions: '1,500 subscriptions',
  slowEndpoints: '20 slow endpoints, 2,000 events',
  sharedKeys: '20 pairs/s of Idempotency-Keys',
  badKeys: '50 bad keys/s from its address',
  hugePages: 'huge pages of its provider',
  combiningMarks: 'combining marks in its meetings',
};
const NAMES = Object.keys(ATTACKS) as AttackName[];
/** Attacks of a round of the soak, which share its time equally. */
const PAIRS: AttackName[][] = [
  ['zeros', 'slowEndpoints'],
  ['introspection', 'nestedJson'],
  ['unreadTranscripts', 'sharedKeys'],
  ['unreadBundles', 'activity'],
  ['subscriptions', 'badKeys'],
];

interface Bench {
  service: BenchService;
  normal: NormalTraffic;
  hostile: Child<AttackCalls>;
  tenant: Awaited<ReturnType<typeof createHostileTenant>>;
  providerPort: number;
}

const ms = (value: number): string => String(Math.round(value)).padStart(5);
const latencyColumns = ({ p50, p99, max }: Latencies): string => [p50, p99, max].map(ms).join(' ');
const megabytes = (bytes: number): number => bytes / 2 ** 20;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Runs normal traffic beside attacks in turns, which last equally long. Prints a line. */
async function measure(bench: Bench, name: string, options: { turns: AttackName[][]; seconds: number }) {
  const { service, normal, hostile, tenant, providerPort } = bench;
  const { turns, seconds } = options;
  const target = { ...(await tenant.target()), providerPort };
  const firstBytes = residentBytes(service.pid);
  using memory = watchMemory(service.pid);
  const attack = async () => {
    const results: AttackResult[] = [];
    const durationMs = (seconds * 1_000) / turns.length;
    for (const names of turns)
      results.push(
        ...(await Promise.all(
          names.map((attack) => hostile.call('attack', { name: attack, target, durationMs })),
        )),
      );
    return results;
  };
  const [latencies, results] = await Promise.all([normal.run(seconds), attack()]);
  const statuses: Record<string, number> = {};
  for (const [status, count] of results.flatMap((result) => Object.entries(result.statuses)))
    statuses[status] = (statuses[status] ?? 0) + count;
  const { last, most, mean } = memory.stop();
  print(
    [
      `  ${name.padEnd(32)}`,
      latencyColumns(latencies.health),
      latencyColumns(latencies.event),
      `${ms(megabytes(last))} ${ms(megabytes(most))}`,
      Object.entries(statuses)
        .map(([status, count]) => `${status}: ${count}`)
        .join(', '),
    ].join('  '),
  );
  return {
    ...latencies,
    meanBytes: mean,
    grownBytes: most - firstBytes,
    firstUsesMs: results.flatMap(({ firstUsesMs }) => firstUsesMs),
  };
}

/** All attacks again and again. @returns mean memory of the last round, divided by the round after the first minute */
async function soak(bench: Bench, minutes: number): Promise<Figure> {
  const means: number[] = [];
  const startedAt = performance.now();
  const elapsedMinutes = () => (performance.now() - startedAt) / 60_000;
  while (elapsedMinutes() < minutes) {
    const name = `after ${elapsedMinutes().toFixed(1)} min`;
    const { meanBytes } = await measure(bench, name, { turns: PAIRS, seconds: ROUND_SECONDS });
    means.push(meanBytes);
  }
  const [, , early = Number.NaN] = means;
  return single(
    'soak: mean memory of the last 30 s through that after the first minute',
    (means.at(-1) ?? Number.NaN) / early,
    {
      atMost: MAX_GROWTH,
    },
  );
}

/** Health and the latency of a healthy tenant beside hostile callers of another one. */
export async function hostile({ minutes }: { minutes: number }): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack();
  const mongo = stack.adopt(await startTestMongo(), (started) => started.stop());
  const traffic = stack.use(await startTraffic());
  const slowSink = stack.use(startChild<SinkCalls>(import.meta.resolve('./support/sink.ts')));
  // The defaults, which tests and other benchmarks lift.
  const limits = { RATE_LIMIT: '', HTTP_MAX_REQUESTS_PER_KEY: '', HTTP_MAX_CONNECTIONS_PER_ADDRESS: '' };
  const providerPort = await freePort();
  const recorder = { RECORDER_API_URL: `http://127.0.0.1:${providerPort}`, MEETING_SYNC_SCHEDULE: 'off' };
  const service = stack.use(await startService(mongo.uri, { ...limits, ...recorder }));
  const normal = stack.use(await startNormalTraffic(service, traffic));
  const tenant = await createHostileTenant(service, mongo.uri, await slowSink.call('listen', undefined));
  const bench = {
    service,
    normal,
    tenant,
    providerPort,
    hostile: stack.use(startChild<AttackCalls>(import.meta.resolve('./support/attacks.ts'))),
  };

  print(`  ${' '.repeat(32)}  health, ms         event, ms          memory, MB`);
  print(`  ${' '.repeat(32)}    p50   p99   max    p50   p99   max    end   max  hostile responses`);
  await normal.run(2);
  await measure(bench, 'alone', { turns: [[]], seconds: PHASE_SECONDS });
  const figures: Figure[] = [];
  for (const name of NAMES) {
    const result = await measure(bench, ATTACKS[name], { turns: [[name]], seconds: PHASE_SECONDS });
    figures.push(
      single(`${ATTACKS[name]}: health, max, ms`, result.health.max, { atMost: MAX_HEALTH_MS }),
      single(`${ATTACKS[name]}: request to arrival, max, ms`, result.event.max, { atMost: MAX_EVENT_MS }),
    );
    if (name === 'unreadByManyKeys')
      figures.push(
        single(`${ATTACKS[name]}: growth of the memory, MB`, megabytes(result.grownBytes), {
          atMost: MAX_UNSENT_GROWTH_MB,
        }),
      );
    if (name === 'badKeys')
      figures.push(single('first use of a new key beside them, max, ms', Math.max(...result.firstUsesMs)));
  }
  if (minutes > 0) figures.push(await soak(bench, minutes));
  return figures;
}
