import { setTimeout as sleep } from 'node:timers/promises';
import { EVENT_BODY } from './event-body.ts';
import { cpuMs } from './proc.ts';
import { requireAnswered, type Traffic } from './traffic.ts';

/** Pause after a load, for what is still written behind it. */
const PAUSE_MS = 500;

/** Clients that send without a pause, or requests a second. */
export type Level = { clients: number; rate: null } | { clients: 0; rate: number };

interface EventLoad {
  url: string;
  key: string;
  level: Level;
  count: number;
  /** Processes whose CPU time is measured. */
  pids: readonly number[];
  /** An event of a new visitor by default. */
  body?: string;
}

/** Posts events and waits until the last one has been accepted and delivered. Returns times, and the CPU time by process. */
export async function loadEvents(
  traffic: Traffic,
  { url, key, level, count, pids, body = EVENT_BODY }: EventLoad,
) {
  const first = await traffic.expect(count);
  const before = pids.map(cpuMs);
  const load = await traffic.load.call('run', {
    ...level,
    method: 'POST',
    url: `${url}/v1/events`,
    key,
    body,
    first,
    count,
  });
  requireAnswered(load);
  const { arrivedAt } = await traffic.arrivals(count);
  /** Microseconds per event. */
  const cpu = pids.map((pid, index) => ((cpuMs(pid) - (before[index] ?? 0)) * 1000) / count);
  await sleep(PAUSE_MS);
  const rateUntil = (ends: Float64Array) => (count * 1000) / (Math.max(...ends) - Math.min(...load.sentAt));
  return {
    sentAt: load.sentAt,
    answeredAt: load.answeredAt,
    arrivedAt,
    /** Events a second. */
    delivered: rateUntil(arrivedAt),
    accepted: rateUntil(load.answeredAt),
    cpu,
  };
}
