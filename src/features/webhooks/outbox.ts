import type { Model, Types } from 'mongoose';
import { AppError } from '../../errors.ts';
import { type Clock, unixSeconds } from '../../platform/clock.ts';
import type { Expansion } from '../../platform/mongo/committer.ts';
import { newObjectId } from '../../platform/mongo/object-id.ts';
import { insertion, type Write } from '../../platform/mongo/write.ts';
import type { Traced } from '../../platform/tracing/tracing.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import { CATALOGUE, type EventData, type EventName } from './catalogue.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { EndpointStore } from './endpoints.store.ts';
import type { DeliveryObserver } from './observer.ts';
import type { DeliveryDoc, EndpointDoc, EventDoc } from './webhooks.model.ts';

/** An event that a unit of work means: it leaves exactly when the unit is committed. */
export interface OutgoingEvent extends Traced {
  id: Types.ObjectId;
  tenant: Tenant;
  event: EventName;
  payload: string;
  /** The conversation that it tells of; null: none. */
  conversationId: string | null;
  /** Only this endpoint gets it, whatever its filter says (test events); null: all whose filter includes it. */
  onlyTo: number | null;
  /** For the caller: the deliveries that came of it, once committed. */
  deliveries: DeliveryDoc[];
}

/**
 * Makes an event of the catalogue. The data is checked here, once: no event leaves with a missing or an extra key.
 *
 * @throws AppError `INTERNAL` when the data is not what the catalogue says, which is a defect of the caller
 */
export function outgoing<N extends EventName>(
  tenant: Tenant,
  event: N,
  data: EventData<N>,
  now: Date,
  test: { endpointId: number } | null = null,
): OutgoingEvent {
  const full = { customerId: tenant.customerId, orgId: tenant.orgId, ...data };
  const checked = CATALOGUE[event].data.safeParse(full);
  if (!checked.success) throw new AppError('INTERNAL', 'Internal error.', { cause: checked.error });
  const payload = JSON.stringify({
    event,
    data: test ? { ...full, test: true } : full,
    ts: unixSeconds(now),
  });
  const { conversationId = null } = data as { conversationId?: string | null };
  return {
    id: newObjectId(now),
    tenant,
    event,
    payload,
    conversationId: test ? null : conversationId,
    onlyTo: test?.endpointId ?? null,
    deliveries: [],
  };
}

interface OutboxDeps {
  models: { Event: Model<EventDoc>; Delivery: Model<DeliveryDoc> };
  endpoints: EndpointStore;
  dispatcher: Pick<Dispatcher, 'reserve' | 'release' | 'start' | 'enqueue' | 'token' | 'leaseEnd'>;
  observer: Pick<DeliveryObserver, 'onEvent'>;
  clock: Clock;
}

/** Turns the events of a group of units into the documents to commit, and starts their first attempts afterwards. */
export function createOutbox({ models, endpoints, dispatcher, observer, clock }: OutboxDeps) {
  const wants = (endpoint: EndpointDoc, { event, onlyTo }: OutgoingEvent): boolean =>
    onlyTo === null ? endpoint.events === null || endpoint.events.includes(event) : endpoint.id === onlyTo;

  function deliveryOf(event: OutgoingEvent, endpoint: EndpointDoc, now: Date): DeliveryDoc {
    const delivery: DeliveryDoc = {
      _id: newObjectId(now),
      customerId: event.tenant.customerId,
      endpointId: endpoint.id,
      eventId: event.id,
      event: event.event,
      status: 'pending',
      attempt: 0,
      nextRetryAt: null,
      createdAt: now,
      lastAttemptAt: null,
      responseStatus: null,
      error: null,
      durationMs: null,
      attempts: [],
      lane: 'inline',
    };
    if (!endpoint.enabled) return { ...delivery, status: 'cancelled', finishedAt: now };
    if (!dispatcher.reserve(endpoint.id)) return { ...delivery, dueAt: now };
    return { ...delivery, attempt: 1, lease: dispatcher.token, dueAt: dispatcher.leaseEnd() };
  }

  return async function expand(events: OutgoingEvent[]): Promise<Expansion> {
    if (events.length === 0) return { writes: [], committed: () => {}, aborted: () => {} };
    const targets = await endpoints.ofTenants([...new Set(events.map(({ tenant }) => tenant.customerId))]);
    const now = clock.now();
    const writes: Write[] = [];
    for (const event of events) {
      const { customerId } = event.tenant;
      event.deliveries = targets
        .filter((endpoint) => endpoint.customerId === customerId && wants(endpoint, event))
        .map((endpoint) => deliveryOf(event, endpoint, now));
      const { id: _id, payload, conversationId } = event;
      const timeline = conversationId === null ? {} : { conversationId };
      writes.push(
        insertion<EventDoc>(models.Event, {
          _id,
          customerId,
          event: event.event,
          payload,
          ...timeline,
          createdAt: now,
        }),
      );
      for (const delivery of event.deliveries) writes.push(insertion(models.Delivery, delivery));
    }
    return {
      writes,
      committed() {
        for (const { event, payload, origin, deliveries } of events) {
          observer.onEvent(event);
          for (const delivery of deliveries) {
            if (delivery.lease) dispatcher.start({ ...delivery, payload, origin });
            else if (delivery.dueAt) dispatcher.enqueue({ ...delivery, payload, origin });
          }
        }
      },
      aborted() {
        for (const event of events)
          for (const delivery of event.deliveries)
            if (delivery.lease) dispatcher.release(delivery.endpointId);
      },
    };
  };
}
