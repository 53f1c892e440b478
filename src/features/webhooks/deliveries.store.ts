import { type Model, Types } from 'mongoose';
import { firstObjectIdOf } from '../../platform/mongo/object-id.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import type { EventName } from './catalogue.ts';
import type { DeliveryDoc, EventDoc } from './webhooks.model.ts';
import type { DeliveryStatus } from './webhooks.types.ts';

export interface DeliveryFilter {
  endpointId?: number;
  status?: DeliveryStatus;
  event?: EventName;
}

interface Models {
  Delivery: Model<DeliveryDoc>;
  Event: Model<EventDoc>;
}

const WITHOUT_ATTEMPTS = { attempts: 0 } as const;

/** What clients read of deliveries; what moves them is in `queue.store.ts`. */
export function deliveryStore({ Delivery, Event }: Models) {
  return {
    list: (tenant: Tenant, filter: DeliveryFilter, before: string | null, limit: number) =>
      Delivery.find(
        {
          customerId: tenant.customerId,
          ...(filter.endpointId === undefined ? {} : { endpointId: filter.endpointId }),
          ...(filter.status === undefined ? {} : { status: filter.status }),
          ...(filter.event === undefined ? {} : { event: filter.event }),
          ...(before === null ? {} : { _id: { $lt: new Types.ObjectId(before) } }),
        },
        WITHOUT_ATTEMPTS,
      )
        .sort({ _id: -1 })
        .limit(limit)
        .lean<DeliveryDoc[]>(),

    find: (tenant: Tenant, id: string) =>
      Delivery.findOne({ _id: new Types.ObjectId(id), customerId: tenant.customerId }).lean<DeliveryDoc>(),

    payload: async (tenant: Tenant, eventId: Types.ObjectId): Promise<string | null> =>
      (await Event.findOne({ _id: eventId, customerId: tenant.customerId }, { payload: 1 }).lean<EventDoc>())
        ?.payload ?? null,

    eventsOf: (tenant: Tenant, conversationId: string, limit: number) =>
      Event.find({ conversationId, customerId: tenant.customerId })
        .sort({ _id: 1 })
        .limit(limit)
        .lean<EventDoc[]>(),

    countByStatus: (tenant: Tenant, status: DeliveryStatus, since: Date) =>
      Delivery.countDocuments({
        customerId: tenant.customerId,
        status,
        _id: { $gte: firstObjectIdOf(since) },
      }),

    countByEvent: (tenant: Tenant, since: Date) =>
      Event.aggregate<{ _id: EventName; count: number }>([
        { $match: { customerId: tenant.customerId, createdAt: { $gte: since } } },
        { $group: { _id: '$event', count: { $sum: 1 } } },
      ]),
  };
}

export type DeliveryStore = ReturnType<typeof deliveryStore>;
