import { Types } from 'mongoose';
import { AppError, invalid } from '../../../errors/app-error.ts';
import type { Clock } from '../../../platform/clock.ts';
import { cursorCodec } from '../../../platform/cursor.ts';
import { type Page, type PageRequest, readPage } from '../../../platform/list-page.ts';
import { isObjectIdText, objectIdsOf } from '../../../platform/mongo/object-id.ts';
import type { CommitOrder } from '../../outbox/commit-order.ts';
import { ACCOUNT_EVENTS } from '../../outbox/event-catalog.ts';
import { storedType } from '../../outbox/event-type.ts';
import type { OutboxEventStore } from '../../outbox/outbox-event.store.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import type { EndpointDoc } from '../endpoints/endpoint.model.ts';
import type { EndpointStore } from '../endpoints/endpoint.store.ts';
import { endpointDisabled, requireEndpoint } from '../endpoints/endpoint-errors.ts';
import { errorOfResponse } from './attempt.ts';
import { type DeliveryDoc, toDelivery, toDeliveryDetail } from './delivery.model.ts';
import type { DeliveryDetail, DeliveryStore } from './delivery.store.ts';
import type { WebhookDelivery, WebhookDeliveryDetail } from './delivery.types.ts';
import { type DeliveryFilter, requireIndexed, selectsEvents } from './delivery-filter.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { ClosedGate, Gates, WaitReason } from './gate.ts';
import type { DeliveryOrder } from './order.ts';
import { searchPayloads, withText } from './payload-search.ts';
import type { QueueStore } from './queue.store.ts';
import { DELIVERY_STATUSES, type DeliveryStatus, resend } from './state.ts';
import { stateOf } from './state-updates.ts';

interface Deps {
  deliveries: DeliveryStore;
  events: Pick<OutboxEventStore, 'payload' | 'viewPayload' | 'selected' | 'payloads'>;
  endpoints: EndpointStore;
  queue: Pick<QueueStore, 'requestResend'>;
  dispatcher: Pick<Dispatcher, 'tryReserve' | 'cancelReservation' | 'newLease' | 'start' | 'wake'>;
  gates: Pick<Gates, 'closedOf' | 'isSteered'>;
  deliveryOrder: Pick<DeliveryOrder, 'areBlocked'>;
  order: Pick<CommitOrder, 'list'>;
  clock: Clock;
}

export interface DeliveryCount {
  status: DeliveryStatus;
  count: number;
}

/** What the next attempt of a delivery waits for. */
export interface Wait {
  /** Null unless an attempt is due. */
  waitingFor: WaitReason | null;
  /** Due time of the next attempt; null if it is unknown or none is due. */
  nextRetryAt: Date | null;
}

interface WaitContext {
  /** True if an earlier delivery of its conversation is open. */
  isBlocked: boolean;
  /** Gate of its endpoint, while that is closed. */
  gate: ClosedGate | null;
}

/** Returns what a due delivery waits for. */
function waitOf({ nextRetryAt }: WebhookDelivery, { isBlocked, gate }: WaitContext): Wait {
  if (isBlocked) return { waitingFor: 'order', nextRetryAt: null };
  return gate ? { waitingFor: gate.reason, nextRetryAt: gate.until } : { waitingFor: 'slot', nextRetryAt };
}

/** Returns the place of a delivery in the order of its conversation. */
const placeOf = ({ customerId, endpointId, eventId, orderedBy }: WebhookDelivery) => ({
  customerId,
  endpointId,
  eventId: new Types.ObjectId(eventId),
  ...(orderedBy !== null && { conversationId: orderedBy }),
});

/** Largest number of events of a conversation whose deliveries a list has. */
const MAX_EVENTS = 1_000;
/** Largest number of index ranges that the database merges in order; beyond it, the database would sort all rows. */
const MAX_RANGES = 200;

interface RowsRequest {
  /** As in `ListOptions` of the store. */
  before: string | null;
  limit: number;
}

/** Returns what an index of its own serves; null for a filter of endpoints, statuses and types of the catalog. */
function detailOf({ error, responseStatus, event }: DeliveryFilter): DeliveryDetail | null {
  if (error !== undefined) return { error };
  if (responseStatus !== undefined) return { error: errorOfResponse(responseStatus) };
  const customType = event && storedType(event).customType;
  return customType === undefined ? null : { customType };
}

/** A delivery by its id, and the endpoint that it must belong to, if any. */
interface DeliveryRef {
  deliveryId: string;
  endpointId?: number;
}

const deliveryNotFound = (id: string) => new AppError('NOT_FOUND', `Webhook delivery ${id} does not exist.`);

/** Lists, finds, counts and resends deliveries. */
export function deliveryService(deps: Deps) {
  const { deliveries, events, endpoints, queue, dispatcher, gates, deliveryOrder, order, clock } = deps;
  const find = async (tenant: Tenant, id: string): Promise<DeliveryDoc | null> =>
    isObjectIdText(id) ? deliveries.find(tenant, id) : null;

  async function require(tenant: Tenant, { deliveryId, endpointId }: DeliveryRef): Promise<DeliveryDoc> {
    const found = await find(tenant, deliveryId);
    if (!found || (endpointId !== undefined && found.endpointId !== endpointId))
      throw deliveryNotFound(deliveryId);
    return found;
  }

  /** Reads the rows of a list by the index that serves the filter. */
  async function readRows(
    tenant: Tenant,
    filter: DeliveryFilter,
    request: RowsRequest,
  ): Promise<DeliveryDoc[]> {
    const { endpointId, status, text } = filter;
    if (selectsEvents(filter)) {
      const selected = await events.selected(tenant, filter, MAX_EVENTS);
      const refs = selected.map(({ _id: eventId, ...event }) => ({ eventId, ...event }));
      const found = text === undefined ? refs : await withText(refs, { ...filter, text }, events);
      const eventIds = found.map(({ eventId }) => eventId);
      return deliveries.listOfEvents(tenant, filter, { eventIds, ...request });
    }
    const detail = detailOf(filter);
    if (!detail) return deliveries.list(tenant, filter, request);
    const endpointIds = endpointId === undefined ? await deliveries.endpointIds(tenant) : [endpointId];
    if (endpointIds.length * (status === undefined ? DELIVERY_STATUSES.length : 1) > MAX_RANGES)
      throw invalid(
        'endpointId',
        'Is required with error, responseStatus or a custom event type, since the customer has deliveries to many endpoints.',
      );
    return deliveries.listWithDetail(tenant, filter, { detail, endpointIds, ...request });
  }

  /** Reads rows of a list, none of which a commit in progress can precede; looks for its text where no id names the events. */
  function readVisible(
    tenant: Tenant,
    filter: DeliveryFilter,
    { before, limit }: RowsRequest,
  ): Promise<DeliveryDoc[]> {
    const { text } = filter;
    const readBefore = (last: string | null, count: number) =>
      order.list(tenant, { before: last, positionOf: ({ id }) => id.toHexString() }, (bound) =>
        readRows(tenant, filter, { before: bound, limit: count }),
      );
    return text === undefined || selectsEvents(filter)
      ? readBefore(before, limit)
      : searchPayloads({ filter: { ...filter, text }, before, limit, readBefore, events });
  }

  async function withPayload(tenant: Tenant, delivery: DeliveryDoc): Promise<WebhookDeliveryDetail> {
    const payload = await events.viewPayload(tenant, delivery.eventId);
    // Retention removes an event together with its deliveries.
    if (payload === null) throw deliveryNotFound(delivery._id.toHexString());
    return toDeliveryDetail(delivery, payload);
  }

  /** Makes the resend due or leases it to this process; returns null when the delivery has changed meanwhile. */
  async function requestResend(
    tenant: Tenant,
    delivery: DeliveryDoc,
    endpoint: EndpointDoc,
  ): Promise<DeliveryDoc | null> {
    const now = clock.now();
    const resent = resend(stateOf(delivery, now), now);
    if (resent.outcome === 'conflict')
      throw new AppError('CONFLICT', 'An attempt of this delivery is in progress; retry when it has ended.');
    const payload = await events.payload(tenant, delivery.eventId);
    // Not published yet: the resend would find no event, and cancel the delivery.
    if (payload === null) throw deliveryNotFound(delivery._id.toHexString());
    const isAskedFor = endpoint.circuit != null;
    const lease =
      !gates.isSteered(endpoint, { isAskedFor }) && dispatcher.tryReserve(delivery, { isAskedFor })
        ? dispatcher.newLease()
        : null;
    const requested = await queue.requestResend(delivery, resent, lease).catch((error: unknown) => {
      if (lease) dispatcher.cancelReservation(delivery);
      throw error;
    });
    const { dueAt: wasDueAt } = resent;
    if (requested && lease)
      dispatcher.start({ ...requested, payload, heldUntilMs: lease.heldUntilMs, wasDueAt });
    else if (requested) dispatcher.wake(delivery.customerId);
    else if (lease) dispatcher.cancelReservation(delivery);
    return requested;
  }

  return {
    /**
     * Lists deliveries, newest first.
     *
     * @throws AppError `NOT_FOUND` when the filter names an endpoint that does not exist; `VALIDATION_FAILED` for a
     *   combination of filters that no index serves
     */
    async list(tenant: Tenant, filter: DeliveryFilter, page: PageRequest): Promise<Page<WebhookDelivery>> {
      requireIndexed(filter);
      const { endpointId, status, event, since, until } = filter;
      const { responseStatus, error, eventId, conversationId, text } = filter;
      const cursor = cursorCodec(
        [
          ...['webhookDeliveries', tenant.customerId, endpointId, status, event],
          ...[since?.getTime(), until?.getTime(), responseStatus, error, eventId, conversationId, text],
        ],
        isObjectIdText,
      );
      return readPage(page, {
        cursor,
        async read(before, limit) {
          if (endpointId !== undefined) await requireEndpoint(endpoints, tenant, endpointId);
          return readVisible(tenant, filter, { before, limit });
        },
        positionOf: ({ _id }) => _id.toHexString(),
        toNode: toDelivery,
      });
    },

    /** Null if the tenant has no such delivery. */
    async find(tenant: Tenant, id: string): Promise<WebhookDeliveryDetail | null> {
      const found = await find(tenant, id);
      return found && withPayload(tenant, found);
    },

    /** Returns whether the endpoint has a delivery of an event about the account. */
    hasAccountEvents: (tenant: Tenant, endpointId: number): Promise<boolean> =>
      deliveries.hasOf(tenant, endpointId, ACCOUNT_EVENTS),

    /** Deliveries by event ID, in one read, each list by endpoint ID. */
    async ofEvents(tenant: Tenant, eventIds: readonly string[]): Promise<Map<string, WebhookDelivery[]>> {
      const rows = await deliveries.ofEvents(tenant, objectIdsOf(eventIds));
      return Map.groupBy(rows.map(toDelivery), ({ eventId }) => eventId);
    },

    /**
     * What deliveries wait for, in their order. Derived when it is read, from the delivery and the state of its endpoint:
     * waiting costs no write.
     */
    async waits({ customerId }: Tenant, waiting: readonly WebhookDelivery[]): Promise<Wait[]> {
      const now = clock.now();
      const due = waiting.filter(({ dueAt }) => dueAt !== null && dueAt <= now);
      const ids = new Set(due.map(({ endpointId }) => endpointId));
      const known = await endpoints.ofTenants([customerId]);
      const [closed, areBlocked] = await Promise.all([
        gates.closedOf(known.filter(({ id }) => ids.has(id))),
        deliveryOrder.areBlocked(due.map(placeOf)),
      ]);
      const waits = new Map(
        due.map((delivery, index) => {
          const gate = closed.get(delivery.endpointId) ?? null;
          return [delivery.id, waitOf(delivery, { isBlocked: areBlocked[index] ?? false, gate })];
        }),
      );
      return waiting.map(({ id, nextRetryAt }) => waits.get(id) ?? { waitingFor: null, nextRetryAt });
    },

    /** @throws AppError `NOT_FOUND` when the endpoint has no such delivery */
    get: async (tenant: Tenant, delivery: DeliveryRef): Promise<WebhookDeliveryDetail> =>
      withPayload(tenant, await require(tenant, delivery)),

    /**
     * Makes one more attempt at once, outside the count of five. A success makes the delivery `succeeded`; a failure
     * leaves its status and schedule.
     *
     * @throws AppError `NOT_FOUND`; `CONFLICT` while an attempt is in progress or the endpoint is disabled
     */
    async resend(tenant: Tenant, reference: DeliveryRef): Promise<WebhookDelivery> {
      for (;;) {
        const delivery = await require(tenant, reference);
        const endpoint = await endpoints.find(tenant, delivery.endpointId);
        if (!endpoint) throw deliveryNotFound(reference.deliveryId);
        if (!endpoint.enabled) throw endpointDisabled(endpoint.id);
        const requested = await requestResend(tenant, delivery, endpoint);
        if (requested) return toDelivery(requested);
      }
    },

    /** Number of deliveries accepted since a time, for every status. */
    countByStatus: (tenant: Tenant, since: Date): Promise<DeliveryCount[]> =>
      Promise.all(
        DELIVERY_STATUSES.map(async (status) => ({
          status,
          count: await deliveries.countByStatus(tenant, status, since),
        })),
      ),
  };
}

export type DeliveryService = ReturnType<typeof deliveryService>;
