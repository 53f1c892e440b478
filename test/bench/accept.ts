import { resolve } from 'node:path';
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
import { alternate, type Pair } from './support/stats.ts';
import { startTraffic } from './support/traffic.ts';

/** A run has so many events as keep the baseline busy for this long, within these bounds. */
const RUN_SECONDS = 5;
const EVENTS = { least: 1_500, most: 6_000 };
/** Until V8 has compiled the code that serves a request: before, the compiler uses a third of the CPU. */
const WARM_UP = 15_000;
const PAIRS = 3;
/** A service with an event a minute never gets beyond its first events. */
const COLD_EVENTS = 1_000;
const COLD_NAME = '1 client, first 1,000 events';

type Field = keyof typeof ACCEPT_FIELDS;

const ONE_CLIENT = { name: '1 client', level: { clients: 1, rate: null } as const };
const LEVELS: { name: string; level: Level; aims: Partial<Record<Field, Aim>> }[] = [
  { ...ONE_CLIENT, aims: { acceptP50: { atMost: 0.7 } } },
  { name: '20 clients', level: { clients: 20, rate: null }, aims: { delivered: { atLeast: 2.6 } } },
  { name: '64 clients', level: { clients: 64, rate: null }, aims: { delivered: { atLeast: 3.5 } } },
  { name: '50/s', level: { clients: 0, rate: 50 }, aims: { acceptP50: { atMost: 0.8 } } },
  {
    name: '200/s',
    level: { clients: 0, rate: 200 },
    aims: { acceptP50: { atMost: 0.8 }, acceptP99: { atMost: 1 } },
  },
];
/** Levels whose CPU profile is printed. */
const PROFILED = LEVELS.filter(({ name }) => name !== '200/s');
const MEGABYTE = 1_000_000;

type AcceptRun = ReturnType<typeof createAcceptRun>;
type Measured = Awaited<ReturnType<AcceptRun>>;

const pairsOf = (pairs: Pair<Measured>[], field: Field): Pair<number>[] =>
  pairs.map(({ subject, baseline }) => ({ subject: subject[field], baseline: baseline[field] }));

const figuresOf = (name: string, pairs: Pair<Measured>[], aims: Partial<Record<Field, Aim>>): Figure[] =>
  (Object.keys(ACCEPT_FIELDS) as Field[]).map((field) =>
    compared(`${name}: ${ACCEPT_FIELDS[field]}`, pairsOf(pairs, field), aims[field] ?? null),
  );

/** Compares the first events of a process with later ones of another; here the warm process is the baseline. */
const coldAgainstWarm = (cold: Pair<Measured>[], warm: Pair<Measured>[]): Figure[] =>
  (['acceptP50', 'cpuProcess'] as const).map((field) =>
    compared(
      `${COLD_NAME} against warm: ${ACCEPT_FIELDS[field]}`,
      cold.map(({ subject }, index) => ({
        subject: subject[field],
        baseline: warm[index]?.subject[field] ?? Number.NaN,
      })),
      { atMost: 2 },
    ),
  );

/** Measures the first events of processes that have just started, each on a database of its own. */
async function coldRuns(
  run: AcceptRun,
  { uriOf, sinkUrl }: { uriOf: (database: string) => string; sinkUrl: string },
): Promise<Pair<Measured>[]> {
  let count = 0;
  const nextUri = () => {
    count += 1;
    return uriOf(`cold${count}`);
  };
  return alternate(
    PAIRS,
    async () => {
      await using service = await startService(nextUri());
      const key = await service.newKey(1);
      await service.newEndpoint(1, key, sinkUrl);
      return await run({ url: service.url, key, pid: service.pid }, ONE_CLIENT.level, COLD_EVENTS);
    },
    async () => {
      await using bare = startChild<BareAcceptCalls>(import.meta.resolve('./support/bare-accept.ts'));
      const url = await bare.call('start', { mongodbUri: nextUri(), sinkUrl });
      return await run({ url, key: '', pid: bare.pid }, ONE_CLIENT.level, COLD_EVENTS);
    },
  );
}

interface Profiled {
  mongodbUri: string;
  sinkUrl: string;
  eventsOf: (level: Level) => number;
}

/** Program of the command line from its source, whether or not it is built: a build has all parts in few files. */
const MAIN_FROM_SOURCE = resolve(import.meta.dirname, '../../src/cli/main-from-source.ts');

/** Splits the CPU time of the service by part. */
async function profiled(run: AcceptRun, { mongodbUri, sinkUrl, eventsOf }: Profiled): Promise<Figure[]> {
  const port = await freePort();
  const env = { NODE_OPTIONS: `--inspect-port=${port}` };
  await using service = await startService(mongodbUri, env, [process.execPath, MAIN_FROM_SOURCE, 'serve']);
  const key = await service.newKey(1);
  await service.newEndpoint(1, key, sinkUrl);
  const target = { url: service.url, key, pid: service.pid };
  await run(target, { clients: 64, rate: null }, WARM_UP);
  using inspector = await openInspector(service.pid, port);
  await inspector.call('Profiler.enable');
  const figures: Figure[] = [];
  for (const { name, level } of PROFILED) {
    await inspector.call('Profiler.start');
    const { cpuProcess, cpuMainThread } = await run(target, level, eventsOf(level));
    const { profile } = await inspector.call<{ profile: CpuProfile }>('Profiler.stop');
    for (const [part, share] of sharesOf(profile))
      figures.push(single(`${name}: CPU of the service, ${part}, µs/event`, share * cpuMainThread));
    const threads = cpuProcess - cpuMainThread;
    figures.push(single(`${name}: CPU of the service, threads of V8, µs/event`, threads));
  }
  return figures;
}

/** Accept `POST /v1/events` with one endpoint and deliver it, until the last accepted event has arrived. */
export async function accept(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack();
  const mongo = stack.adopt(await startTestMongo({ database: 'service' }), (started) => started.stop());
  const uriOf = (database: string) => mongo.uri.replace('/service', `/${database}`);
  const traffic = stack.use(await startTraffic());
  const commands = stack.use(await countCommands(mongo.uri));
  const run = createAcceptRun({ traffic, commands, mongod: mongo.members[0]?.pid ?? 0 });
  const cold = await coldRuns(run, { uriOf, sinkUrl: traffic.sinkUrl });
  const service = stack.use(await startService(mongo.uri));
  const key = await service.newKey(1);
  await service.newEndpoint(1, key, traffic.sinkUrl);
  const bare = stack.use(startChild<BareAcceptCalls>(import.meta.resolve('./support/bare-accept.ts')));
  const url = await bare.call('start', { mongodbUri: uriOf('bare'), sinkUrl: traffic.sinkUrl });
  using memory = watchMemory(service.pid);

  const ours = { url: service.url, key, pid: service.pid };
  const theirs = { url, key: '', pid: bare.pid };
  await run(ours, { clients: 64, rate: null }, WARM_UP);
  const { delivered } = await run(theirs, { clients: 64, rate: null }, WARM_UP);
  const most = Math.round(Math.min(EVENTS.most, Math.max(EVENTS.least, delivered * RUN_SECONDS)));
  const eventsOf = ({ clients, rate }: Level) => {
    if (rate !== null) return rate * 2 * RUN_SECONDS;
    return clients === 1 ? COLD_EVENTS : most;
  };
  const figures = figuresOf(COLD_NAME, cold, {});
  for (const { name, level, aims } of LEVELS) {
    const pairs = await alternate(
      PAIRS,
      () => run(ours, level, eventsOf(level)),
      () => run(theirs, level, eventsOf(level)),
    );
    figures.push(...figuresOf(name, pairs, aims));
    if (name === ONE_CLIENT.name) figures.push(...coldAgainstWarm(cold, pairs));
  }
  figures.push(
    single('resident memory of the service, most, MB', memory.stop().most / MEGABYTE, { atMost: 200 }),
  );

  figures.push(
    ...(await profiled(run, { mongodbUri: uriOf('profiled'), sinkUrl: traffic.sinkUrl, eventsOf })),
  );
  return figures;
}
