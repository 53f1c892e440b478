import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { EventData } from '../../outbox/event-catalog.ts';
import type { Outbox } from '../../outbox/outbox.ts';
import type { OperationalEvents } from '../operational-events.ts';
import type { EndpointDoc, UnpublishedEvent } from './endpoint.model.ts';
import type { EndpointStore } from './endpoint.store.ts';

/** Minimum time between two `delivery.exhausted` about one endpoint. Milliseconds. */
const EXHAUSTED_INTERVAL_MS = 60_000;
/** Endpoints whose events one run publishes. */
const ENDPOINTS_PER_RUN = 500;

interface Deps {
  endpoints: Pick<EndpointStore, 'withUnpublished' | 'find' | 'publication'>;
  operationalEvents: OperationalEvents;
  outbox: Outbox;
  clock: Clock;
  log: Logger;
}

/**
 * Creates the job that publishes operational events about endpoints to the other endpoints of their tenants. The update
 * that changes an endpoint queues the event in its document; one commit publishes it and removes it from there. So each
 * change is one event, whatever happens to the processes in between.
 */
export function createEndpointEvents({ endpoints, operationalEvents, outbox, clock, log }: Deps) {
  async function publish({ customerId, id }: Pick<EndpointDoc, 'customerId' | 'id'>): Promise<void> {
    await outbox.commit(
      async () => {
        const now = clock.now();
        const endpoint = await endpoints.find({ customerId }, id);
        const due = endpoint ? dueEvents(endpoint, now) : [];
        if (!endpoint || due.length === 0) return { writes: [], events: [], result: undefined };
        const events = [];
        for (const { event, data } of withOneCount(due)) {
          const about = { endpointId: id, ...data } as EventData<typeof event>;
          events.push(
            ...(await operationalEvents(endpoint, { event, data: about, aboutEndpointId: id, now })),
          );
        }
        return { writes: [endpoints.publication(endpoint, due, now)], events, result: undefined };
      },
      // A tenant at its limit of stored events still learns that an endpoint fails.
      { tenant: null },
    );
  }

  /** Publishes what is queued. Returns true if anything was. */
  return async (): Promise<boolean> => {
    const countedBefore = new Date(clock.now().getTime() - EXHAUSTED_INTERVAL_MS);
    const found = await endpoints.withUnpublished(ENDPOINTS_PER_RUN, countedBefore);
    for (const endpoint of found)
      await publish(endpoint).catch((error: unknown) =>
        log.warn({ err: error, endpointId: endpoint.id }, 'failed to publish events about an endpoint'),
      );
    return found.length > 0;
  };
}

/** Returns the events to publish now: counts of exhausted deliveries wait until a minute after the previous ones. */
function dueEvents({ unpublished = [], exhaustedPublishedAt }: EndpointDoc, now: Date): UnpublishedEvent[] {
  const isCountDue =
    !exhaustedPublishedAt || now.getTime() - exhaustedPublishedAt.getTime() >= EXHAUSTED_INTERVAL_MS;
  return unpublished.filter(({ event }) => event !== 'delivery.exhausted' || isCountDue);
}

/** Adds up the counts of exhausted deliveries. */
function withOneCount(events: readonly UnpublishedEvent[]): UnpublishedEvent[] {
  const { counts = [], others = [] } = Object.groupBy(events, ({ event }) =>
    event === 'delivery.exhausted' ? 'counts' : 'others',
  );
  const [first] = counts;
  if (!first) return others;
  const count = counts.reduce((sum, { data }) => sum + Number(data.count), 0);
  return [...others, { ...first, data: { ...first.data, count } }];
}
