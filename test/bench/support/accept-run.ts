import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandCounter } from './commands.ts';
import { cpuMs, mainThreadCpuMs } from './proc.ts';
import { durations, percentile } from './stats.ts';
import { requireAnswered, type Traffic } from './traffic.ts';

/** Pause after a run, for what is still written behind it. */
const PAUSE_MS = 500;

/** A process that accepts `POST /v1/events` and delivers to the sink of the traffic. */
export interface AcceptTarget {
  url: string;
  key: string;
  pid: number;
}

/** Clients that send without a pause, or requests a second. */
export type Level = { clients: number; rate: null } | { clients: 0; rate: number };

interface AcceptRunner {
  traffic: Traffic;
  commands: CommandCounter;
  /** Process id of the database. */
  mongod: number;
}

/** Creates a function that sends `count` events, waits until each has arrived, and returns what that took. */
export function createAcceptRun({ traffic, commands, mongod }: AcceptRunner) {
  return async ({ url, key, pid }: AcceptTarget, level: Level, count: number) => {
    const first = await traffic.expect(count);
    const pids = [pid, mongod, traffic.load.pid, traffic.sink.pid];
    const commandsBefore = await commands.total();
    const mainThreadBefore = mainThreadCpuMs(pid);
    const cpuBefore = pids.map(cpuMs);
    const load = await traffic.load.call('run', {
      ...level,
      method: 'POST',
      url: `${url}/v1/events`,
      key,
      body: '{"type":"conversion","goal":"n#","visitor_id":"v_#"}',
      first,
      count,
    });
    requireAnswered(load);
    const { arrivedAt } = await traffic.arrivals(count);
    const cpu = pids.map((each, index) => cpuMs(each) - (cpuBefore[index] ?? 0));
    const mainThreadMs = mainThreadCpuMs(pid) - mainThreadBefore;
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
      cpuMainThread: (mainThreadMs * 1000) / count,
      cpuMongod: ((cpu[1] ?? 0) * 1000) / count,
      cpuTraffic: (((cpu[2] ?? 0) + (cpu[3] ?? 0)) * 1000) / count,
      commands: ((await commands.total()) - commandsBefore) / count,
    };
  };
}

/** Names of the measured quantities, with their units. */
export const ACCEPT_FIELDS = {
  delivered: 'accepted and delivered, events/s',
  accepted: 'accepted, events/s',
  acceptP50: 'request to 201, p50, ms',
  acceptP99: 'request to 201, p99, ms',
  arriveP50: '201 to arrival, p50, ms',
  arriveP99: '201 to arrival, p99, ms',
  sendP50: 'request to arrival, p50, ms',
  sendP99: 'request to arrival, p99, ms',
  cpuAll: 'CPU of all processes, µs/event',
  cpuProcess: 'CPU of the process, µs/event',
  cpuMongod: 'CPU of mongod, µs/event',
  cpuTraffic: 'CPU of load and sink, µs/event',
  commands: 'database commands per event',
} satisfies Partial<Record<keyof Awaited<ReturnType<ReturnType<typeof createAcceptRun>>>, string>>;
