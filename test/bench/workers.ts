import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { startTestMongo } from '../support/mongo.ts';
import { workersOf } from '../support/worker-processes.ts';
import { loadEvents } from './support/event-load.ts';
import { watchMemory } from './support/proc.ts';
import { compared, type Figure, single } from './support/report.ts';
import { startService } from './support/service.ts';
import { alternate } from './support/stats.ts';
import { startTraffic } from './support/traffic.ts';

const LEVEL = { clients: 64, rate: null } as const;
/** Events until V8 has compiled the code that serves a request, in each process. */
const WARM_UP = 12_000;
const WORKERS = 2;
const EVENTS = 5_000;
const PAIRS = 3;
const MEGABYTE = 1_000_000;
const ROOT = resolve(import.meta.dirname, '../..');

const { scripts } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')) as {
  scripts: Record<string, string>;
};
/** The ways to start, without npm itself, which only waits. */
const WAYS: Record<string, readonly string[]> = {
  'npm start': ['/bin/sh', '-c', `cd ${ROOT} && ${scripts.start}`],
  'engagement serve': ['/bin/sh', '-c', `cd ${ROOT} && ${scripts.engagement} serve`],
};

/** Accepts and delivers events with two workers, against one process; and the memory by each way to start. */
export async function workers(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack();
  const traffic = stack.use(await startTraffic());

  async function start(database: string, env: Record<string, string>, command?: readonly string[]) {
    const mongo = stack.adopt(await startTestMongo({ database }), (started) => started.stop());
    const service = stack.use(await startService(mongo.uri, env, command));
    const key = await service.newKey(1);
    await service.newEndpoint(1, key, traffic.sinkUrl);
    const pids = [service.pid, ...workersOf(service.pid)];
    async function run(count: number) {
      const { delivered, cpu } = await loadEvents(traffic, {
        url: service.url,
        key,
        level: LEVEL,
        count,
        pids,
      });
      return { delivered, cpuMicros: cpu.reduce((sum, each) => sum + each, 0) };
    }
    return { service, run };
  }

  const figures: Figure[] = [];
  const one = await start('one', {});
  const two = await start('two', { WORKERS: String(WORKERS) });
  await one.run(WARM_UP);
  await two.run(WORKERS * WARM_UP);
  const pairs = await alternate(
    PAIRS,
    () => two.run(EVENTS),
    () => one.run(EVENTS),
  );
  const of = (field: 'delivered' | 'cpuMicros') =>
    pairs.map(({ subject, baseline }) => ({ subject: subject[field], baseline: baseline[field] }));
  figures.push(
    compared('2 workers against 1: accepted and delivered, events/s', of('delivered')),
    compared('2 workers against 1: CPU of the service, µs/event', of('cpuMicros'), { atMost: 1.15 }),
  );
  for (const [way, command] of Object.entries(WAYS)) {
    const { service, run } = await start(way.replaceAll(' ', '-'), {}, command);
    const idle = watchMemory(service.pid).stop().last;
    using memory = watchMemory(service.pid);
    await run(WARM_UP + EVENTS);
    figures.push(
      single(`${way}: resident memory idle, MB`, idle / MEGABYTE),
      single(`${way}: resident memory under load, most, MB`, memory.stop().most / MEGABYTE, { atMost: 200 }),
    );
  }
  return figures;
}
