import { setTimeout as sleep } from 'node:timers/promises';
import { startTestMongo } from '../support/mongo.ts';
import type { BareAcceptCalls } from './support/bare-accept.ts';
import { startChild } from './support/child.ts';
import { cpuMs, watchMemory } from './support/proc.ts';
import { compared, type Figure, single } from './support/report.ts';
import { startService } from './support/service.ts';
import { alternate, durations, percentile } from './support/stats.ts';
import { requireAnswered, startTraffic } from './support/traffic.ts';

/** A run has so many events as keep the baseline busy for this long, within these bounds. */
const RUN_SECONDS = 5;
const EVENTS = { least: 1_500, most: 6_000 };
const WARM_UP = 3_000;
const PAIRS = 3;
/** Between two runs, for what is still written behind them. */
const PAUSE_MS = 500;
const LEVELS = [
  { clients: 20, aim: { atLeast: 2 } },
  { clients: 64, aim: { atLeast: 3 } },
];
const MEGABYTE = 1_000_000;

interface Target {
  url: string;
  key: string;
  pid: number;
}

/** Accept `POST /v1/events` with one endpoint and deliver it, until the last accepted event has arrived. */
export async function accept(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack();
  const mongo = stack.adopt(await startTestMongo({ database: 'service' }), (started) => started.stop());
  const traffic = stack.use(await startTraffic());
  const service = stack.use(await startService(mongo.uri));
  const key = await service.newKey(1);
  await service.newEndpoint(1, key, traffic.sinkUrl);
  const bare = stack.use(startChild<BareAcceptCalls>('./bare-accept.ts'));
  const mongodbUri = mongo.uri.replace('/service', '/bare');
  const url = await bare.call('start', { mongodbUri, sinkUrl: traffic.sinkUrl });
  const mongod = mongo.members[0]?.pid ?? 0;
  using memory = watchMemory(service.pid);

  async function run({ url, key, pid }: Target, clients: number, count: number) {
    const first = await traffic.expect(count);
    const pids = [pid, mongod, traffic.load.pid, traffic.sink.pid];
    const cpuBefore = pids.map(cpuMs);
    const load = await traffic.load.call('run', {
      method: 'POST',
      url: `${url}/v1/events`,
      key,
      body: '{"type":"conversion","goal":"n#","visitor_id":"v_#"}',
      first,
      count,
      clients,
      rate: null,
    });
    requireAnswered(load);
    const { arrivedAt } = await traffic.arrivals(count);
    const cpu = pids.map((each, index) => cpuMs(each) - (cpuBefore[index] ?? 0));
    await sleep(PAUSE_MS);
    const start = Math.min(...load.sentAt);
    const accepting = durations(load.sentAt, load.answeredAt);
    const delivering = durations(load.sentAt, arrivedAt);
    const arriving = durations(load.answeredAt, arrivedAt);
    return {
      delivered: (count * 1000) / (Math.max(...arrivedAt) - start),
      accepted: (count * 1000) / (Math.max(...load.answeredAt) - start),
      acceptP50: percentile(accepting, 0.5),
      acceptP99: percentile(accepting, 0.99),
      arriveP50: percentile(arriving, 0.5),
      arriveP99: percentile(arriving, 0.99),
      sendP50: percentile(delivering, 0.5),
      sendP99: percentile(delivering, 0.99),
      cpuAll: (cpu.reduce((sum, each) => sum + each, 0) * 1000) / count,
      cpuProcess: ((cpu[0] ?? 0) * 1000) / count,
      cpuMongod: ((cpu[1] ?? 0) * 1000) / count,
      cpuTraffic: (((cpu[2] ?? 0) + (cpu[3] ?? 0)) * 1000) / count,
    };
  }

  const ours = { url: service.url, key, pid: service.pid };
  const theirs = { url, key: '', pid: bare.pid };
  await run(ours, 64, WARM_UP);
  const { delivered } = await run(theirs, 64, WARM_UP);
  const events = Math.round(Math.min(EVENTS.most, Math.max(EVENTS.least, delivered * RUN_SECONDS)));
  const figures: Figure[] = [];
  for (const { clients, aim } of LEVELS) {
    const pairs = await alternate(
      PAIRS,
      () => run(ours, clients, events),
      () => run(theirs, clients, events),
    );
    type Field = keyof (typeof pairs)[number]['subject'];
    const of = (field: Field) =>
      pairs.map(({ subject, baseline }) => ({ subject: subject[field], baseline: baseline[field] }));
    const name = (what: string) => `${clients} clients: ${what}`;
    figures.push(
      compared(name('accepted and delivered, events/s'), of('delivered'), aim),
      compared(name('accepted, events/s'), of('accepted')),
      compared(name('request to 201, p50, ms'), of('acceptP50')),
      compared(name('request to 201, p99, ms'), of('acceptP99')),
      compared(name('201 to arrival, p50, ms'), of('arriveP50')),
      compared(name('201 to arrival, p99, ms'), of('arriveP99')),
      compared(name('request to arrival, p50, ms'), of('sendP50')),
      compared(name('request to arrival, p99, ms'), of('sendP99')),
      compared(name('CPU of all processes, µs/event'), of('cpuAll')),
      compared(name('CPU of the process, µs/event'), of('cpuProcess')),
      compared(name('CPU of mongod, µs/event'), of('cpuMongod')),
      compared(name('CPU of load and sink, µs/event'), of('cpuTraffic')),
    );
  }
  figures.push(
    single('resident memory of the service, most, MB', memory.stop().most / MEGABYTE, { atMost: 200 }),
  );
  return figures;
}
