import { Types } from 'mongoose';
import { AppError } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { cursorCodec, isObjectIdText } from '../../platform/cursor.ts';
import { toPage } from '../../platform/mongo/paging.ts';
import type { Page, PageRequest } from '../../platform/page.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import { EVENT_NAMES, type EventName } from './catalogue.ts';
import type { DeliveryFilter, DeliveryStore } from './deliveries.store.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { EndpointStore } from './endpoints.store.ts';
import type { QueueStore } from './queue.store.ts';
import { toDelivery, toDeliveryDetail, toTimelineEvent } from './views.ts';
import type { DeliveryDoc } from './webhooks.model.ts';
import {
  DELIVERY_STATUSES,
  type DeliveryStatus,
  type TimelineEvent,
  type WebhookDelivery,
  type WebhookDeliveryDetail,
} from './webhooks.types.ts';

/** Events of one conversation that are shown; more than a conversation of any use has. */
const MAX_TIMELINE = 1_000;

interface Deps {
  deliveries: DeliveryStore;
  endpoints: EndpointStore;
  queue: QueueStore;
  dispatcher: Pick<Dispatcher, 'reserve' | 'release' | 'start' | 'wake' | 'token' | 'leaseEnd'>;
  clock: Clock;
}

/** What happened since a time, in numbers. */
export interface WebhookActivity {
  events: { event: EventName; count: number }[];
  deliveries: { status: DeliveryStatus; count: number }[];
}

export function deliveryService({ deliveries, endpoints, queue, dispatcher, clock }: Deps) {
  const notFound = (id: string) => new AppError('NOT_FOUND', `There is no webhook delivery ${id}.`);

  async function stored(tenant: Tenant, endpointId: number | null, id: string): Promise<DeliveryDoc> {
    const found = isObjectIdText(id) ? await deliveries.find(tenant, id) : null;
    if (!found || (endpointId !== null && found.endpointId !== endpointId)) throw notFound(id);
    return found;
  }

  async function withPayload(tenant: Tenant, delivery: DeliveryDoc): Promise<WebhookDeliveryDetail> {
    const payload = await deliveries.payload(tenant, delivery.eventId);
    // Only retention takes an event away, and its deliveries with it.
    if (payload === null) throw notFound(delivery._id.toHexString());
    return toDeliveryDetail(delivery, payload);
  }

  return {
    /** Newest first; of one endpoint, which then has to exist, or of all. */
    async list(
      tenant: Tenant,
      filter: DeliveryFilter,
      { limit, after }: PageRequest,
    ): Promise<Page<WebhookDelivery>> {
      const { endpointId, status, event } = filter;
      const cursor = cursorCodec(
        ['webhookDeliveries', tenant.customerId, endpointId, status, event],
        isObjectIdText,
      );
      const before = after === null ? null : cursor.decode(after);
      if (endpointId !== undefined && !(await endpoints.find(tenant, endpointId)))
        throw new AppError('NOT_FOUND', `There is no webhook endpoint ${endpointId}.`);
      const rows = await deliveries.list(tenant, filter, before, limit + 1);
      return toPage(rows, limit, (row) => ({
        cursor: cursor.encode(row._id.toHexString()),
        node: toDelivery(row),
      }));
    },

    /** With payload and attempts; null when the tenant has no such delivery. */
    async find(tenant: Tenant, id: string): Promise<WebhookDeliveryDetail | null> {
      const found = isObjectIdText(id) ? await deliveries.find(tenant, id) : null;
      return found && withPayload(tenant, found);
    },

    /** With payload and attempts; `NOT_FOUND` when it is not a delivery of that endpoint. */
    get: async (tenant: Tenant, endpointId: number, id: string): Promise<WebhookDeliveryDetail> =>
      withPayload(tenant, await stored(tenant, endpointId, id)),

    /**
     * One more attempt at once, outside the count of five. A success makes the delivery `succeeded`; a failure
     * leaves its status and schedule. `CONFLICT` while an attempt is under way or the endpoint is disabled.
     *
     * @param endpointId null: whatever endpoint it belongs to
     */
    async resend(tenant: Tenant, endpointId: number | null, id: string): Promise<WebhookDelivery> {
      const delivery = await stored(tenant, endpointId, id);
      const endpoint = await endpoints.find(tenant, delivery.endpointId);
      if (!endpoint) throw notFound(id);
      if (!endpoint.enabled)
        throw new AppError('CONFLICT', 'The endpoint is disabled; enable it before sending again.');
      const payload = await deliveries.payload(tenant, delivery.eventId);
      const lease = dispatcher.reserve(endpoint.id)
        ? { token: dispatcher.token, end: dispatcher.leaseEnd() }
        : null;
      const asked = await queue
        .requestManual(tenant.customerId, new Types.ObjectId(id), clock.now(), lease)
        .catch((error: unknown) => {
          if (lease) dispatcher.release(endpoint.id);
          throw error;
        });
      if (!asked) {
        if (lease) dispatcher.release(endpoint.id);
        throw new AppError(
          'CONFLICT',
          'An attempt of this delivery is under way; try again when it has ended.',
        );
      }
      if (lease) dispatcher.start({ ...asked, payload });
      else dispatcher.wake();
      return toDelivery(asked);
    },

    /** Events that told of a conversation, oldest first, for as long as they are kept. */
    timeline: async (tenant: Tenant, conversationId: string): Promise<TimelineEvent[]> =>
      (await deliveries.eventsOf(tenant, conversationId, MAX_TIMELINE)).map(toTimelineEvent),

    /** Events by kind and deliveries by status since a time. */
    async activity(tenant: Tenant, since: Date): Promise<WebhookActivity> {
      const [events, ...counts] = await Promise.all([
        deliveries.countByEvent(tenant, since),
        ...DELIVERY_STATUSES.map((status) => deliveries.countByStatus(tenant, status, since)),
      ]);
      const byEvent = new Map(events.map(({ _id, count }) => [_id, count]));
      return {
        events: EVENT_NAMES.map((event) => ({ event, count: byEvent.get(event) ?? 0 })),
        deliveries: DELIVERY_STATUSES.map((status, index) => ({ status, count: counts[index] ?? 0 })),
      };
    },
  };
}

export type DeliveryService = ReturnType<typeof deliveryService>;
