import type { Lease } from '../../platform/leases/lease.ts';
import { newObjectId } from '../../platform/mongo/object-id.ts';
import { createTimeSlice } from '../../platform/time-slice.ts';
import { storedType } from '../outbox/event-type.ts';
import type { FanOut } from '../outbox/outbox.ts';
import type { FilteredOut } from '../outbox/outbox-event.model.ts';
import type { OutboxEvent } from '../outbox/outbox-event.ts';
import { type DeliveryDoc, newDelivery } from './delivery/delivery.model.ts';
import type { Dispatcher } from './delivery/dispatcher.ts';
import type { Gates } from './delivery/gate.ts';
import type { QueueStore } from './delivery/queue.store.ts';
import { accept } from './delivery/state.ts';
import { acceptedFields } from './delivery/state-updates.ts';
import type { EndpointDoc } from './endpoints/endpoint.model.ts';
import type { EndpointStore } from './endpoints/endpoint.store.ts';
import { failedClause } from './endpoints/filter-evaluation.ts';
import { isSubscribed } from './endpoints/subscription.ts';

interface Deps {
  queue: Pick<QueueStore, 'insertion'>;
  endpoints: Pick<EndpointStore, 'ofTenants'>;
  dispatcher: Pick<
    Dispatcher,
    'tryReserve' | 'cancelReservation' | 'newAcceptanceLease' | 'start' | 'enqueue' | 'wake'
  >;
  gates: Pick<Gates, 'isSteered' | 'mayWake'>;
}

/** True for a test event, which is the only one for a single endpoint. */
const isTest = ({ endpointId }: OutboxEvent): boolean => endpointId !== null;

const isSubscriber = (
  endpoint: EndpointDoc,
  { event, tenant, endpointId, aboutEndpointId }: OutboxEvent,
): boolean => {
  if (endpoint.customerId !== tenant.customerId || endpoint.id === aboutEndpointId) return false;
  if (endpointId !== null) return endpoint.id === endpointId;
  return isSubscribed(endpoint, event);
};

interface Audience {
  recipients: EndpointDoc[];
  filteredOut: FilteredOut[];
}

/** Divides the subscribers of an event by their filters. An event for one endpoint is sent whatever its filter. */
async function applyFilters(
  subscribers: EndpointDoc[],
  { payload, endpointId }: OutboxEvent,
  yieldToRequests: () => Promise<void>,
): Promise<Audience> {
  const recipients: EndpointDoc[] = [];
  const filteredOut: FilteredOut[] = [];
  const hasFilter = endpointId === null && subscribers.some(({ filter }) => filter);
  const envelope = hasFilter ? JSON.parse(payload) : null;
  for (const endpoint of subscribers) {
    if (envelope && endpoint.filter) await yieldToRequests();
    const clause = envelope && failedClause(endpoint, envelope);
    if (clause) filteredOut.push({ endpointId: endpoint.id, clause });
    else recipients.push(endpoint);
  }
  return { recipients, filteredOut };
}

/** Creates the fan-out: one delivery of an event for each endpoint that subscribes to it and whose filter includes it. */
export function createFanOut({ queue, endpoints, dispatcher, gates }: Deps): FanOut<DeliveryDoc> {
  function deliveryTo(
    endpoint: EndpointDoc,
    event: OutboxEvent,
    { now, lease }: { now: Date; lease: Lease },
  ): DeliveryDoc {
    const { customerId, id: endpointId, enabled } = endpoint;
    const isAskedFor = isTest(event) && endpoint.circuit != null;
    const slotReserved =
      enabled &&
      !gates.isSteered(endpoint, { isAskedFor }) &&
      dispatcher.tryReserve({ customerId, endpointId }, { isAskedFor });
    const accepted = accept({ endpointEnabled: enabled, slotReserved });
    const created = {
      _id: newObjectId(now),
      customerId,
      endpointId,
      eventId: event.id,
      ...storedType(event.event),
      ...(endpoint.ordering === 'conversation' &&
        event.conversationId !== null && { conversationId: event.conversationId }),
    };
    return newDelivery(created, acceptedFields(accepted, now, lease), now);
  }

  return async (events, now) => {
    const customerIds = new Set(events.map(({ tenant }) => tenant.customerId));
    const candidates = await endpoints.ofTenants([...customerIds]);
    const yieldToRequests = createTimeSlice();
    const audiences: Audience[] = [];
    for (const event of events) {
      const subscribers = candidates.filter((endpoint) => isSubscriber(endpoint, event));
      audiences.push(await applyFilters(subscribers, event, yieldToRequests));
    }
    const lease = dispatcher.newAcceptanceLease();
    const deliveries = events.map((event, index) =>
      (audiences[index]?.recipients ?? []).map((endpoint) => deliveryTo(endpoint, event, { now, lease })),
    );
    const steered = new Map(
      audiences
        .flatMap(({ recipients }) => recipients)
        .filter((endpoint) => endpoint.enabled && gates.isSteered(endpoint))
        .map((endpoint) => [endpoint.id, endpoint]),
    );
    return {
      filteredOut: audiences.map(({ filteredOut }) => filteredOut),
      insertions: deliveries.flat().map((delivery) => queue.insertion(delivery)),
      deliveries,
      committed() {
        for (const [index, event] of events.entries())
          for (const delivery of deliveries[index] ?? []) {
            const { payload, origin } = event;
            const accepted = { ...delivery, payload, origin, ...(isTest(event) && { isTest: true }) };
            if (delivery.lease)
              dispatcher.start({
                ...accepted,
                heldUntilMs: lease.heldUntilMs,
                wasDueAt: delivery.createdAt,
              });
            else if (delivery.dueAt && !steered.has(delivery.endpointId)) dispatcher.enqueue(accepted);
          }
        for (const endpoint of steered.values())
          if (gates.mayWake(endpoint)) dispatcher.wake(endpoint.customerId);
      },
      aborted() {
        for (const delivery of deliveries.flat()) if (delivery.lease) dispatcher.cancelReservation(delivery);
      },
    };
  };
}
