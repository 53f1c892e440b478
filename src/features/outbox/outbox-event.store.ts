import { type ClientSession, type Model, Types } from 'mongoose';
import { AppError } from '../../errors/app-error.ts';
import { type Insertion, insertion } from '../../platform/commit/unit-of-work.ts';
import { type CreationTimes, createdIn } from '../../platform/mongo/created-in.ts';
import { BY_ID, byIds, type DocumentRef } from '../../platform/mongo/ids-of-tenants.ts';
import { firstObjectIdOf } from '../../platform/mongo/object-id.ts';
import { rawReads } from '../../platform/mongo/raw-collection.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import { MAX_COUNT } from '../../shared/max-count.ts';
import type { FieldEncryption, UnreadableReason } from '../privacy/field-encryption.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import { EVENT_NAMES, type EventName } from './event-catalog.ts';
import { type EventTypeName, storedType } from './event-type.ts';
import {
  BY_CONVERSATION,
  BY_CUSTOM_TYPE,
  BY_TYPE,
  EVENT_FIELDS,
  type EventDoc,
  type FilteredOut,
  type PlannedDelivery,
} from './outbox-event.model.ts';
import type { OutboxEvent } from './outbox-event.ts';
import { PUBLICATION_LIMIT_MS } from './publication-limits.ts';

/** Selects events of a list by type, conversation and the time at which they were emitted. */
export interface EventFilter extends CreationTimes {
  type?: EventTypeName | undefined;
  conversationId?: string | undefined;
}

interface ListOptions {
  /** Id of the event after which the page begins, newest first; null for the first page. */
  before: string | null;
  limit: number;
}

interface OlderThanOptions {
  before: Date;
  /** Last event of the previous batch; null for the first batch. */
  after: Types.ObjectId | null;
  limit: number;
}

interface NewEventOptions {
  createdAt: Date;
  deliveries: PlannedDelivery[];
  filteredOut: FilteredOut[];
}

/** An event that is old enough for all of its deliveries to be stored. */
export type SettledEvent = Pick<
  EventDoc,
  '_id' | 'customerId' | 'event' | 'customType' | 'deliveries' | 'createdAt'
>;

/** Payloads of stored events by event id. An event that is in neither of the two maps is not stored. */
interface StoredPayloads {
  readable: ReadonlyMap<string, string>;
  unreadable: ReadonlyMap<string, UnreadableReason>;
}

/** An event as the log of its tenant lists it. */
type ScannedEvent = Pick<EventDoc, '_id' | 'customerId' | 'event' | 'customType'>;

const olderThan = (before: Date, after: Types.ObjectId | null) => ({
  _id: { ...(after && { $gt: after }), $lt: firstObjectIdOf(before) },
});

type EventValues = Pick<EventDoc, '_id' | 'customerId' | 'payload' | 'source'>;

const toEventValues = ({ id, tenant, payload, source }: OutboxEvent): EventValues => ({
  _id: id,
  customerId: tenant.customerId,
  payload,
  ...(source !== null && { source }),
});

export function outboxEventStore({ Event }: { Event: Model<EventDoc> }, encryption: FieldEncryption) {
  const raw = rawReads(Event);
  const decryptForView = <D extends Pick<EventDoc, '_id' | 'customerId'>>(events: D[]) =>
    encryption.decryptForView(EVENT_FIELDS, events);

  /** Payload of an event as it is stored; null once retention has removed the event. */
  const storedPayload = ({ customerId }: TenantRef, _id: Types.ObjectId): Promise<EventDoc | null> =>
    Event.findOne({ _id, customerId }, { customerId: 1, payload: 1 }).lean<EventDoc>();

  const findStored = ({ customerId }: Tenant, id: string): Promise<EventDoc | null> =>
    Event.findOne({ _id: new Types.ObjectId(id), customerId }).lean<EventDoc>();

  const findStoredMany = ({ customerId }: Tenant, ids: readonly Types.ObjectId[]): Promise<EventDoc[]> =>
    Event.find({ _id: { $in: ids }, customerId })
      .batchSize(ids.length + 1)
      .lean<EventDoc[]>();

  /** Types of a tenant's events: with all of them in a filter, its index serves the order of ids. */
  const typesOf = (customerId: number, session: ClientSession | null = null): Promise<EventName[]> =>
    Event.distinct('event', { customerId }).session(session).readConcern('majority');

  return {
    /** Encrypts new events; returns the function that creates their insertions once their deliveries are planned. */
    async insertions(
      events: readonly OutboxEvent[],
    ): Promise<(event: OutboxEvent, options: NewEventOptions) => Insertion> {
      const stored = await encryption.encrypt(EVENT_FIELDS, events.map(toEventValues));
      const valuesOf = new Map(events.map((event, index) => [event, stored[index] as EventValues]));
      return (event, { createdAt, deliveries, filteredOut }) =>
        insertion(Event, {
          ...(valuesOf.get(event) as EventValues),
          ...storedType(event.event),
          ...(event.conversationId !== null && { conversationId: event.conversationId }),
          ...(deliveries.length > 0 && { deliveries }),
          ...(filteredOut.length > 0 && { filteredOut }),
          createdAt,
        });
    },

    /**
     * Payload of an event, to send; null once retention has removed the event.
     * @throws AppError `INTERNAL` if it cannot be decrypted
     */
    payload: async (tenant: TenantRef, id: Types.ObjectId): Promise<string | null> =>
      (await encryption.decryptOne(EVENT_FIELDS, await storedPayload(tenant, id)))?.payload ?? null,

    /** As `payload`, for clients. */
    viewPayload: async (tenant: TenantRef, id: Types.ObjectId): Promise<string | null> =>
      (await encryption.decryptOneForView(EVENT_FIELDS, await storedPayload(tenant, id)))?.payload ?? null,

    /** Payloads of events of any tenant, for the delivery poller. */
    async payloads(of: readonly { eventId: Types.ObjectId; customerId: number }[]): Promise<StoredPayloads> {
      const found = await raw
        .find(byIds(of.map(({ eventId: _id, customerId }) => ({ _id, customerId }))))
        .project<Pick<EventDoc, '_id' | 'customerId' | 'payload'>>({ customerId: 1, payload: 1 })
        .hint(BY_ID)
        .batchSize(of.length + 1)
        .toArray();
      const unreadable = new Map<string, UnreadableReason>();
      const events = await encryption.decryptReadable(EVENT_FIELDS, found, ({ _id }, reason) =>
        unreadable.set(_id.toHexString(), reason),
      );
      return {
        readable: new Map(events.map(({ _id, payload }) => [_id.toHexString(), payload])),
        unreadable,
      };
    },

    /**
     * Events of a tenant in the order of their ids, as a majority has them.
     * @param session the read follows causally after what the session has seen
     */
    async scan(
      { customerId }: TenantRef,
      { after, limit, session }: { after: Types.ObjectId | null; limit: number; session: ClientSession },
    ): Promise<ScannedEvent[]> {
      const names = await typesOf(customerId, session);
      return Event.find(
        { customerId, event: { $in: names }, ...(after && { _id: { $gt: after } }) },
        { customerId: 1, event: 1, customType: 1 },
      )
        .session(session)
        .readConcern('majority')
        .sort({ _id: 1 })
        .hint(BY_TYPE)
        .limit(limit)
        .batchSize(limit + 1)
        .lean<ScannedEvent[]>();
    },

    /** Ids of the newest events of a tenant. */
    newest: async ({ customerId }: TenantRef, limit: number): Promise<DocumentRef[]> =>
      Event.find({ customerId, event: { $in: await typesOf(customerId) } }, { customerId: 1 })
        .sort({ _id: -1 })
        .hint(BY_TYPE)
        .limit(limit)
        .lean<DocumentRef[]>(),

    /** Ids of the first events of a tenant that were published at or after a time. */
    since: async (
      { customerId }: TenantRef,
      { since, limit }: { since: Date; limit: number },
    ): Promise<DocumentRef[]> =>
      Event.find(
        {
          customerId,
          event: { $in: await typesOf(customerId) },
          _id: { $gte: firstObjectIdOf(new Date(since.getTime() - PUBLICATION_LIMIT_MS)) },
          createdAt: { $gte: since },
        },
        { customerId: 1 },
      )
        .sort({ _id: 1 })
        .hint(BY_TYPE)
        .limit(limit)
        .lean<DocumentRef[]>(),

    /**
     * Leaves out events that were modified or moved, like those that are removed.
     * @throws AppError `SERVICE_UNAVAILABLE` while this process lacks their key: a feed must not pass over them
     */
    findMany: async (tenant: Tenant, ids: readonly Types.ObjectId[]) =>
      encryption.decryptReadable(EVENT_FIELDS, await findStoredMany(tenant, ids), (_event, reason) => {
        if (reason === 'unknown_key')
          throw new AppError(
            'SERVICE_UNAVAILABLE',
            'The key of encrypted events is missing in this process; try again later.',
          );
      }),

    /** As `findMany`, for clients: with a marker for what cannot be decrypted. */
    findManyView: async (tenant: Tenant, ids: readonly Types.ObjectId[]) =>
      decryptForView(await findStoredMany(tenant, ids)),

    /** Events of a conversation, oldest first. */
    ofConversation: async (tenant: Tenant, conversationId: string, limit: number) =>
      decryptForView(
        await Event.find({ conversationId, customerId: tenant.customerId })
          .sort({ _id: 1 })
          .limit(limit)
          .lean<EventDoc[]>(),
      ),

    /** Lists events, newest first. */
    list: async ({ customerId }: Tenant, filter: EventFilter, { before, limit }: ListOptions) => {
      const { type, conversationId } = filter;
      const ofType = type === undefined ? { event: { $in: EVENT_NAMES } } : storedType(type);
      const byType = 'customType' in ofType ? BY_CUSTOM_TYPE : BY_TYPE;
      return decryptForView(
        await Event.find({
          customerId,
          ...ofType,
          ...(conversationId !== undefined && { conversationId }),
          ...createdIn(filter, { before, maxDelayMs: PUBLICATION_LIMIT_MS }),
        })
          .sort({ _id: -1 })
          .hint(conversationId === undefined ? byType : BY_CONVERSATION)
          .limit(limit)
          .lean<EventDoc[]>(),
      );
    },

    /** Ids and types of the newest events of a conversation, of one event, or of an event if it is of the conversation. */
    selected: (
      { customerId }: Tenant,
      { eventId, conversationId }: { eventId?: string | undefined; conversationId?: string | undefined },
      limit: number,
    ) =>
      Event.find(
        {
          customerId,
          ...(eventId !== undefined && { _id: new Types.ObjectId(eventId) }),
          ...(conversationId !== undefined && { conversationId }),
        },
        { customerId: 1, event: 1, customType: 1 },
      )
        .sort({ _id: -1 })
        .hint(eventId === undefined ? BY_CONVERSATION : BY_ID)
        .limit(limit)
        .lean<ScannedEvent[]>(),

    /** An event for clients; null if the tenant has no such one. */
    findView: async (tenant: Tenant, id: string) =>
      encryption.decryptOneForView(EVENT_FIELDS, await findStored(tenant, id)),

    /** Counts up to `limit`. */
    countAll: ({ customerId }: TenantRef, limit: number) =>
      Event.countDocuments({ customerId }, { limit, hint: BY_TYPE }),

    /** Counts up to `MAX_COUNT`, from the second of a time on. */
    count: (tenant: Tenant, event: EventName, since: Date) =>
      Event.countDocuments(
        { customerId: tenant.customerId, event, _id: { $gte: firstObjectIdOf(since) } },
        { limit: MAX_COUNT },
      ),

    /** The next events of all tenants that are older than `before`, oldest first, for retention. */
    olderThan: ({ before, after, limit }: OlderThanOptions) =>
      Event.find(olderThan(before, after), { customerId: 1 })
        .sort({ _id: 1 })
        .limit(limit)
        .lean<DocumentRef[]>(),

    /** The next events of a tenant that are older than `before`, oldest first, for its own retention. */
    olderThanOf: async (
      { customerId }: TenantRef,
      { before, after, limit }: OlderThanOptions,
    ): Promise<DocumentRef[]> =>
      Event.find(
        { customerId, event: { $in: await typesOf(customerId) }, ...olderThan(before, after) },
        { customerId: 1 },
      )
        .sort({ _id: 1 })
        .hint(BY_TYPE)
        .limit(limit)
        .lean<DocumentRef[]>(),

    /** Like `olderThan`, with what a repair of their deliveries needs. */
    settled: ({ before, after, limit }: OlderThanOptions) =>
      Event.find(olderThan(before, after), {
        customerId: 1,
        event: 1,
        customType: 1,
        deliveries: 1,
        createdAt: 1,
      })
        .sort({ _id: 1 })
        .limit(limit)
        .lean<SettledEvent[]>(),

    /** Returns the ids of the events that are stored. */
    stored: async (events: readonly DocumentRef[]): Promise<Set<string>> => {
      const found = await raw
        .find(byIds(events))
        .project<Pick<EventDoc, '_id'>>({ _id: 1 })
        .hint(BY_ID)
        .batchSize(events.length + 1)
        .toArray();
      return new Set(found.map(({ _id }) => _id.toHexString()));
    },

    remove: async (events: readonly DocumentRef[]): Promise<number> =>
      (await Event.collection.deleteMany(byIds(events), { hint: BY_ID })).deletedCount,
  };
}

export type OutboxEventStore = ReturnType<typeof outboxEventStore>;
