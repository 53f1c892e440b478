import type { Model, Types } from 'mongoose';
import { MAX_COUNT } from '../../platform/mongo/bounded-count.ts';
import { firstObjectIdOf } from '../../platform/mongo/object-id.ts';
import { rawReads } from '../../platform/mongo/raw-collection.ts';
import { type Insertion, insertion } from '../../platform/mongo/unit-write.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import type { EventName } from './event-catalog.ts';
import type { EventDoc, PlannedDelivery } from './outbox-event.model.ts';
import type { OutboxEvent } from './outbox-event.ts';

interface OlderThanOptions {
  before: Date;
  /** Last event of the previous batch; null for the first batch. */
  after: Types.ObjectId | null;
  limit: number;
}

/** An event and its tenant. */
export type EventRef = Pick<EventDoc, '_id' | 'customerId'>;

/** An event that is old enough for all of its deliveries to be stored. */
export type SettledEvent = Pick<EventDoc, '_id' | 'customerId' | 'event' | 'deliveries' | 'createdAt'>;

const olderThan = (before: Date, after: Types.ObjectId | null) => ({
  _id: { ...(after && { $gt: after }), $lt: firstObjectIdOf(before) },
});

export function outboxEventStore({ Event }: { Event: Model<EventDoc> }) {
  const raw = rawReads(Event);

  return {
    insertion: (
      { id, tenant, event, payload, conversationId, source }: OutboxEvent,
      { createdAt, deliveries }: { createdAt: Date; deliveries: PlannedDelivery[] },
    ): Insertion =>
      insertion(Event, {
        _id: id,
        customerId: tenant.customerId,
        event,
        payload,
        ...(conversationId !== null && { conversationId }),
        ...(source !== null && { source }),
        ...(deliveries.length > 0 && { deliveries }),
        createdAt,
      }),

    /** Payload of an event; null once retention has removed the event. */
    payload: async (tenant: Pick<Tenant, 'customerId'>, id: Types.ObjectId): Promise<string | null> =>
      (await Event.findOne({ _id: id, customerId: tenant.customerId }, { payload: 1 }).lean<EventDoc>())
        ?.payload ?? null,

    /** Payloads of events of any tenant by event id, for the delivery poller. */
    async payloads(
      of: readonly { eventId: Types.ObjectId; customerId: number }[],
    ): Promise<Map<string, string>> {
      const filter = {
        _id: { $in: of.map(({ eventId }) => eventId) },
        customerId: { $in: [...new Set(of.map(({ customerId }) => customerId))] },
      };
      const found = await raw
        .find(filter)
        .project<Pick<EventDoc, '_id' | 'payload'>>({ payload: 1 })
        .hint({ _id: 1 })
        .batchSize(of.length + 1)
        .toArray();
      return new Map(found.map(({ _id, payload }) => [_id.toHexString(), payload]));
    },

    findMany: (tenant: Tenant, ids: readonly Types.ObjectId[]) =>
      Event.find({ _id: { $in: ids }, customerId: tenant.customerId })
        .batchSize(ids.length + 1)
        .lean<EventDoc[]>(),

    /** Events of a conversation, oldest first. */
    ofConversation: (tenant: Tenant, conversationId: string, limit: number) =>
      Event.find({ conversationId, customerId: tenant.customerId })
        .sort({ _id: 1 })
        .limit(limit)
        .lean<EventDoc[]>(),

    /** Counts up to `MAX_COUNT`. */
    count: (tenant: Tenant, event: EventName, since: Date) =>
      Event.countDocuments(
        { customerId: tenant.customerId, event, createdAt: { $gte: since } },
        { limit: MAX_COUNT },
      ),

    /** The next events of all tenants that are older than `before`, oldest first, for retention. */
    olderThan: ({ before, after, limit }: OlderThanOptions) =>
      Event.find(olderThan(before, after), { customerId: 1 })
        .sort({ _id: 1 })
        .limit(limit)
        .lean<EventRef[]>(),

    /** Like `olderThan`, with what a repair of their deliveries needs. */
    settled: ({ before, after, limit }: OlderThanOptions) =>
      Event.find(olderThan(before, after), { customerId: 1, event: 1, deliveries: 1, createdAt: 1 })
        .sort({ _id: 1 })
        .limit(limit)
        .lean<SettledEvent[]>(),

    async remove(events: readonly EventRef[]): Promise<number> {
      const filter = {
        _id: { $in: events.map(({ _id }) => _id) },
        customerId: { $in: [...new Set(events.map(({ customerId }) => customerId))] },
      };
      return (await Event.collection.deleteMany(filter, { hint: { _id: 1 } })).deletedCount;
    },
  };
}

export type OutboxEventStore = ReturnType<typeof outboxEventStore>;
