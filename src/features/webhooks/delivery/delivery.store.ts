import { type Model, Types } from 'mongoose';
import { createdIn } from '../../../platform/mongo/created-in.ts';
import { firstObjectIdOf } from '../../../platform/mongo/object-id.ts';
import { MAX_COUNT } from '../../../shared/max-count.ts';
import { EVENT_NAMES, type EventName } from '../../outbox/event-catalog.ts';
import { storedType } from '../../outbox/event-type.ts';
import type { FieldEncryption } from '../../privacy/field-encryption.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import { MAX_ENDPOINTS } from '../endpoints/endpoint.types.ts';
import {
  BY_CUSTOM_TYPE,
  BY_ERROR,
  BY_EVENT,
  DELIVERY_FIELDS,
  type DeliveryDoc,
  LIST_INDEXES,
} from './delivery.model.ts';
import type { DeliveryFilter } from './delivery-filter.ts';
import { DELIVERY_STATUSES, type DeliveryStatus } from './state.ts';

interface ListOptions {
  /** Id of the delivery after which the page begins, newest first; null for the first page. */
  before: string | null;
  limit: number;
}

/** Error of the last attempt, or custom type of the event. */
export type DeliveryDetail = { error: string } | { customType: string };

interface DetailOptions extends ListOptions {
  detail: DeliveryDetail;
  /** All endpoints whose deliveries are listed. */
  endpointIds: readonly number[];
}

const WITHOUT_ATTEMPTS = { attempts: 0 } as const;

const ANY_STATUS = { $in: DELIVERY_STATUSES };
const ANY_EVENT = { $in: EVENT_NAMES };

/**
 * Returns the index of a list and the filter with a value for each of its fields, so that a page reads about as many
 * keys as it has rows, however rare they are.
 */
function rangesOf({ endpointId, status, event: name }: DeliveryFilter) {
  const event = name === undefined ? undefined : storedType(name).event;
  if (endpointId !== undefined) {
    if (status === undefined && event === undefined) return { index: LIST_INDEXES.byEndpoint, endpointId };
    const state = { status: status ?? ANY_STATUS, event: event ?? ANY_EVENT };
    return { index: LIST_INDEXES.byEndpointAndState, endpointId, ...state };
  }
  if (event !== undefined) return { index: LIST_INDEXES.byEvent, event, status: status ?? ANY_STATUS };
  if (status !== undefined) return { index: LIST_INDEXES.byStatus, status };
  return { index: LIST_INDEXES.all };
}

/** Deliveries as clients read them; `queue.store.ts` has their transitions. */
export function deliveryStore({ Delivery }: { Delivery: Model<DeliveryDoc> }, encryption: FieldEncryption) {
  const decrypt = (delivery: DeliveryDoc | null): Promise<DeliveryDoc | null> =>
    encryption.decryptOneForView(DELIVERY_FIELDS, delivery);

  return {
    /** Returns a delivery of a change stream as the methods that read one return it. */
    decrypt,

    list(tenant: Tenant, filter: DeliveryFilter, { before, limit }: ListOptions) {
      const { index, ...ranges } = rangesOf(filter);
      return Delivery.find(
        { customerId: tenant.customerId, ...ranges, ...createdIn(filter, { before }) },
        WITHOUT_ATTEMPTS,
      )
        .sort({ _id: -1 })
        .hint(index)
        .limit(limit)
        .lean<DeliveryDoc[]>();
    },

    /** As `list`, of deliveries with a detail that few have, by its own index. */
    listWithDetail(
      { customerId }: Tenant,
      filter: DeliveryFilter,
      { detail, endpointIds, before, limit }: DetailOptions,
    ) {
      return Delivery.find(
        {
          customerId,
          endpointId: { $in: [...endpointIds] },
          ...detail,
          status: filter.status ?? ANY_STATUS,
          ...createdIn(filter, { before }),
        },
        WITHOUT_ATTEMPTS,
      )
        .sort({ _id: -1 })
        .hint('error' in detail ? BY_ERROR : BY_CUSTOM_TYPE)
        .limit(limit)
        .lean<DeliveryDoc[]>();
    },

    /** As `list`, of the deliveries of events. */
    listOfEvents(
      { customerId }: Tenant,
      filter: DeliveryFilter,
      { eventIds, before, limit }: ListOptions & { eventIds: readonly Types.ObjectId[] },
    ) {
      const { endpointId, status, event, responseStatus, error } = filter;
      return Delivery.find(
        {
          customerId,
          eventId: { $in: [...eventIds] },
          ...(endpointId !== undefined && { endpointId }),
          ...(status !== undefined && { status }),
          ...(event !== undefined && storedType(event)),
          ...(responseStatus !== undefined && { responseStatus }),
          ...(error !== undefined && { error }),
          ...createdIn(filter, { before }),
        },
        WITHOUT_ATTEMPTS,
      )
        .sort({ _id: -1 })
        .hint(BY_EVENT)
        .limit(limit)
        .lean<DeliveryDoc[]>();
    },

    /**
     * Endpoints that deliveries are stored of, deleted ones included: one key of the index each. `distinct` takes no hint,
     * and would read all keys of an index by event.
     */
    endpointIds: async ({ customerId }: Tenant): Promise<number[]> => {
      const found = await Delivery.aggregate<{ _id: number }>([
        { $match: { customerId } },
        { $group: { _id: '$endpointId' } },
      ]).hint(LIST_INDEXES.byEndpoint);
      return found.map(({ _id }) => _id);
    },

    /** Deliveries of events, by event and endpoint. */
    ofEvents: (tenant: Tenant, eventIds: readonly Types.ObjectId[]) =>
      Delivery.find({ eventId: { $in: eventIds }, customerId: tenant.customerId }, WITHOUT_ATTEMPTS)
        .sort({ eventId: 1, endpointId: 1 })
        .batchSize(eventIds.length * MAX_ENDPOINTS + 1)
        .lean<DeliveryDoc[]>(),

    /** The delivery of an event to an endpoint. */
    ofEndpoint: async ({ customerId }: Tenant, eventId: Types.ObjectId, endpointId: number) =>
      decrypt(await Delivery.findOne({ customerId, eventId, endpointId }).lean<DeliveryDoc>()),

    find: async ({ customerId }: Tenant, id: string) =>
      decrypt(await Delivery.findOne({ _id: new Types.ObjectId(id), customerId }).lean<DeliveryDoc>()),

    /** Returns whether an endpoint has a delivery of one of these events. */
    async hasOf({ customerId }: Tenant, endpointId: number, events: readonly EventName[]): Promise<boolean> {
      const wanted = { customerId, endpointId, status: ANY_STATUS, event: { $in: [...events] } };
      const found = await Delivery.findOne(wanted, { customerId: 1 })
        .hint(LIST_INDEXES.byEndpointAndState)
        .lean();
      return found !== null;
    },

    /** Counts up to `MAX_COUNT`. */
    countByStatus: (tenant: Tenant, status: DeliveryStatus, since: Date) =>
      Delivery.countDocuments(
        { customerId: tenant.customerId, status, _id: { $gte: firstObjectIdOf(since) } },
        { limit: MAX_COUNT },
      ),
  };
}

export type DeliveryStore = ReturnType<typeof deliveryStore>;
