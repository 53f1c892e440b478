import { setTimeout as sleep } from 'node:timers/promises';
import { cpuMs } from './proc.ts';
import { requireAnswered, type Traffic } from './traffic.ts';

/** After a run, for what is still written behind it. */
const PAUSE_MS = 500;

interface EventLoad {
  url: string;
  key: string;
  /** Processes whose CPU time counts. */
  pids: number[];
  clients: number;
  count: number;
}

/** Posts events until the last one has been accepted and delivered. */
export async function loadEvents(traffic: Traffic, { url, key, pids, clients, count }: EventLoad) {
  const total = () => pids.reduce((sum, pid) => sum + cpuMs(pid), 0);
  const first = await traffic.expect(count);
  const before = total();
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
  const cpuMicros = ((total() - before) * 1000) / count;
  await sleep(PAUSE_MS);
  return {
    delivered: (count * 1000) / (Math.max(...arrivedAt) - Math.min(...load.sentAt)),
    cpuMicros,
  };
}
