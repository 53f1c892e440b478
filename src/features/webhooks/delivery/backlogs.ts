import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { EndpointStore } from '../endpoints/endpoint.store.ts';
import type { QueuedBacklog, QueueSizeStore } from './queue-size.store.ts';

/** Due deliveries of an endpoint, as an operator sees them. */
export interface EndpointBacklog extends QueuedBacklog {
  customerId: number;
  /** Host of its URL; the path may contain a secret. */
  host: string;
}

interface Deps {
  queueSize: QueueSizeStore;
  endpoints: Pick<EndpointStore, 'withIds'>;
  clock: Clock;
  log: Logger;
}

/** Endpoints in the metric and in the log line: those with the most deliveries. */
const MAX_NAMED = 10;
/** Age of the oldest due delivery from which the log names an endpoint. Milliseconds. */
const LOGGED_AFTER_MS = 60_000;
/** Interval of the log line while it names the same endpoints. Milliseconds. */
const REPEATED_AFTER_MS = 600_000;

/** The queue of all tenants, and the endpoints with a backlog. */
export function createBacklogs({ queueSize, endpoints, clock, log }: Deps) {
  let logged: { endpointIds: Set<number>; at: Date } = { endpointIds: new Set(), at: new Date(0) };

  /** Adds the tenants; without the deliveries of deleted endpoints, which the next claim cancels. */
  async function named(backlogs: readonly QueuedBacklog[]): Promise<EndpointBacklog[]> {
    const found = await endpoints.withIds(backlogs.map(({ endpointId }) => endpointId));
    const byId = new Map(found.map((endpoint) => [endpoint.id, endpoint]));
    return backlogs.flatMap((backlog) => {
      const endpoint = byId.get(backlog.endpointId);
      return endpoint
        ? [{ customerId: endpoint.customerId, host: new URL(endpoint.url).host, ...backlog }]
        : [];
    });
  }

  return {
    /** Returns the depth of the queue, and the ten endpoints with the longest backlogs. */
    async queue() {
      const now = clock.now();
      const { lanes, waiting, backlogs } = await queueSize.read(now);
      return {
        lanes: lanes.map(({ oldestDueAt, ...lane }) => ({
          ...lane,
          oldestDueAgeSeconds: oldestDueAt ? (now.getTime() - oldestDueAt.getTime()) / 1000 : 0,
        })),
        waiting,
        backlogs: await named(backlogs.slice(0, MAX_NAMED)),
      };
    },

    /** Returns the endpoints with a backlog, up to 100, those with the most deliveries first. */
    list: async (): Promise<EndpointBacklog[]> => named((await queueSize.read(clock.now())).backlogs),

    /** Logs the endpoints with the longest backlogs: at once when there is another one, and every ten minutes. */
    async logLongest(): Promise<void> {
      const now = clock.now();
      const { backlogs } = await queueSize.read(now);
      const isLate = ({ oldestDueAt }: QueuedBacklog) =>
        now.getTime() - oldestDueAt.getTime() >= LOGGED_AFTER_MS;
      const longest = await named(backlogs.filter(isLate).slice(0, MAX_NAMED));
      const isKnown = longest.every(({ endpointId }) => logged.endpointIds.has(endpointId));
      if (isKnown && now.getTime() - logged.at.getTime() < REPEATED_AFTER_MS) return;
      logged = { endpointIds: new Set(longest.map(({ endpointId }) => endpointId)), at: now };
      if (longest.length > 0) log.warn({ backlogs: longest.map(toLogged) }, 'endpoints have a backlog');
    },
  };
}

export type Backlogs = ReturnType<typeof createBacklogs>;

const toLogged = ({ customerId, endpointId, waiting, oldestDueAt, reason, inFlight }: EndpointBacklog) => ({
  ...{ customerId, endpointId, waiting, oldestDueAt, inFlight },
  waitsFor: reason ?? 'service',
});
