import type { CommandCounter } from './commands.ts';
import { type Level, loadEvents } from './event-load.ts';
import { mainThreadCpuMs } from './proc.ts';
import { durations, percentile } from './stats.ts';
import type { Traffic } from './traffic.ts';

/** A process that accepts `POST /v1/events` and delivers to the sink of the traffic. */
export interface AcceptTarget {
  url: string;
  key: string;
  pid: number;
}

interface AcceptRunner {
  traffic: Traffic;
  commands: CommandCounter;
  /** Process id of the database. */
  mongod: number;
}

/** Creates a function that sends `count` events, waits until each has arrived, and returns the measurements. */
export function createAcceptRun({ traffic, commands, mongod }: AcceptRunner) {
  return async ({ url, key, pid }: AcceptTarget, level: Level, count: number) => {
    const pids = [pid, mongod, traffic.load.pid, traffic.sink.pid];
    const commandsBefore = await commands.total();
    const mainThreadBefore = mainThreadCpuMs(pid);
    const { sentAt, answeredAt, arrivedAt, delivered, accepted, cpu } = await loadEvents(traffic, {
      url,
      key,
      level,
      count,
      pids,
    });
    const mainThreadMs = mainThreadCpuMs(pid) - mainThreadBefore;
    const [cpuProcess = 0, cpuMongod = 0, ...cpuOthers] = cpu;
    const cpuTraffic = cpuOthers.reduce((sum, each) => sum + each, 0);
    const accepting = durations(sentAt, answeredAt);
    const delivering = durations(sentAt, arrivedAt);
    const arriving = durations(answeredAt, arrivedAt);
    return {
      delivered,
      accepted,
      acceptP50: percentile(accepting, 0.5),
      acceptP99: percentile(accepting, 0.99),
      arriveP50: percentile(arriving, 0.5),
      arriveP99: percentile(arriving, 0.99),
      sendP50: percentile(delivering, 0.5),
      sendP99: percentile(delivering, 0.99),
      cpuAll: cpuProcess + cpuMongod + cpuTraffic,
      cpuProcess,
      cpuMainThread: (mainThreadMs * 1000) / count,
      cpuMongod,
      cpuTraffic,
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
