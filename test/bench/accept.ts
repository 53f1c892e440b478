import { freePort } from '../../src/runtime/embedded/free-port.ts';
import { startChild } from '../support/child-process.ts';
import { startTestMongo } from '../support/mongo.ts';
import { ACCEPT_FIELDS, createAcceptRun } from './support/accept-run.ts';
import type { BareAcceptCalls } from './support/bare-accept.ts';
import { countCommands } from './support/commands.ts';
import { sharesOf } from './support/cpu-split.ts';
import type { Level } from './support/event-load.ts';
import { type CpuProfile, openInspector } from './support/inspector.ts';
import { watchMemory } from './support/proc.ts';
import { type Aim, compared, type Figure, single } from './support/report.ts';
import { startService } from './support/service.ts';
import { alternate } from './support/stats.ts';
import { startTraffic } from './support/traffic.ts';

/** A run has so many events as keep the baseline busy for this long, within these bounds. */
const RUN_SECONDS = 5;
const EVENTS = { least: 1_500, most: 6_000 };
/** Until V8 has compiled the code that serves a request: before, the compiler uses a third of the CPU. */
const WARM_UP = 15_000;
const PAIRS = 3;

type Field = keyof typeof ACCEPT_FIELDS;

const LEVELS: { name: string; level: Level; aims: Partial<Record<Field, Aim>> }[] = [
  { name: '20 clients', level: { clients: 20, rate: null }, aims: { delivered: { atLeast: 2.6 } } },
  { name: '64 clients', level: { clients: 64, rate: null }, aims: { delivered: { atLeast: 3.5 } } },
  ...[50, 200].map((rate) => ({
    name: `${rate}/s`,
    level: { clients: 0, rate } as const,
    aims: { acceptP50: { atMost: 1 }, acceptP99: { atMost: 1.3 } },
  })),
];
/** Levels whose CPU profile is printed. */
const PROFILED = LEVELS.filter(({ name }) => name !== '200/s');
const MEGABYTE = 1_000_000;

/** Accept `POST /v1/events` with one endpoint and deliver it, until the last accepted event has arrived. */
export async function accept(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack();
  const mongo = stack.adopt(await startTestMongo({ database: 'service' }), (started) => started.stop());
  const traffic = stack.use(await startTraffic());
  const inspectorPort = await freePort();
  const service = stack.use(
    await startService(mongo.uri, { NODE_OPTIONS: `--inspect-port=${inspectorPort}` }),
  );
  const key = await service.newKey(1);
  await service.newEndpoint(1, key, traffic.sinkUrl);
  const bare = stack.use(startChild<BareAcceptCalls>(import.meta.resolve('./support/bare-accept.ts')));
  const mongodbUri = mongo.uri.replace('/service', '/bare');
  const url = await bare.call('start', { mongodbUri, sinkUrl: traffic.sinkUrl });
  const commands = stack.use(await countCommands(mongo.uri));
  const run = createAcceptRun({ traffic, commands, mongod: mongo.members[0]?.pid ?? 0 });
  using memory = watchMemory(service.pid);

  const ours = { url: service.url, key, pid: service.pid };
  const theirs = { url, key: '', pid: bare.pid };
  await run(ours, { clients: 64, rate: null }, WARM_UP);
  const { delivered } = await run(theirs, { clients: 64, rate: null }, WARM_UP);
  const most = Math.round(Math.min(EVENTS.most, Math.max(EVENTS.least, delivered * RUN_SECONDS)));
  const eventsOf = ({ rate }: Level) => (rate === null ? most : rate * 2 * RUN_SECONDS);
  const figures: Figure[] = [];
  for (const { name, level, aims } of LEVELS) {
    const pairs = await alternate(
      PAIRS,
      () => run(ours, level, eventsOf(level)),
      () => run(theirs, level, eventsOf(level)),
    );
    for (const field of Object.keys(ACCEPT_FIELDS) as Field[]) {
      const values = pairs.map(({ subject, baseline }) => ({
        subject: subject[field],
        baseline: baseline[field],
      }));
      figures.push(compared(`${name}: ${ACCEPT_FIELDS[field]}`, values, aims[field] ?? null));
    }
  }
  figures.push(
    single('resident memory of the service, most, MB', memory.stop().most / MEGABYTE, { atMost: 200 }),
  );

  using inspector = await openInspector(service.pid, inspectorPort);
  await inspector.call('Profiler.enable');
  for (const { name, level } of PROFILED) {
    await inspector.call('Profiler.start');
    const { cpuProcess, cpuMainThread } = await run(ours, level, eventsOf(level));
    const { profile } = await inspector.call<{ profile: CpuProfile }>('Profiler.stop');
    for (const [part, share] of sharesOf(profile))
      figures.push(single(`${name}: CPU of the service, ${part}, µs/event`, share * cpuMainThread));
    const threads = cpuProcess - cpuMainThread;
    figures.push(single(`${name}: CPU of the service, threads of V8, µs/event`, threads));
  }
  return figures;
}
