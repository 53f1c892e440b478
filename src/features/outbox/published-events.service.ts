import { AppError } from '../../errors/app-error.ts';
import { cursorCodec } from '../../platform/cursor.ts';
import { type Page, type PageRequest, readPage } from '../../platform/list-page.ts';
import { isObjectIdText, objectIdsOf } from '../../platform/mongo/object-id.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import type { CommitOrder } from './commit-order.ts';
import { EVENT_NAMES, type EventName } from './event-catalog.ts';
import { type EventTypeName, type StoredType, typeNameOf } from './event-type.ts';
import type { EventDoc } from './outbox-event.model.ts';
import type { EventFilter, OutboxEventStore } from './outbox-event.store.ts';
import type { TimelineArchiveStore } from './timeline-archive.store.ts';

/** Largest number of events in one timeline. */
const MAX_TIMELINE = 1_000;

/** A published event, as lists, its deliveries and the timeline of its conversation show it. */
export interface PublishedEvent {
  id: string;
  event: EventTypeName;
  /** The envelope, as sent; `UNREADABLE_JSON` if it cannot be decrypted. */
  payload: string;
  /** Null if it belongs to no conversation. */
  conversationId: string | null;
  /** Visitor of a conversion or a custom event that was recorded through the preview API; null for all others. */
  visitorId: string | null;
  createdAt: Date;
}

export interface EventCount {
  event: EventName;
  count: number;
}

type ShownEvent = Pick<
  EventDoc,
  '_id' | keyof StoredType | 'payload' | 'conversationId' | 'source' | 'createdAt'
>;

const toPublishedEvent = (doc: ShownEvent): PublishedEvent => ({
  id: doc._id.toHexString(),
  event: typeNameOf(doc),
  payload: doc.payload,
  conversationId: doc.conversationId ?? null,
  visitorId: doc.source?.visitorId ?? null,
  createdAt: doc.createdAt,
});

const byId = (docs: readonly ShownEvent[]): Map<string, PublishedEvent> =>
  new Map(docs.map(toPublishedEvent).map((event) => [event.id, event]));

interface Deps {
  events: OutboxEventStore;
  /** Events of conversations that retention has removed from `events`. */
  archive: Pick<TimelineArchiveStore, 'ofConversation'>;
  order: Pick<CommitOrder, 'list'>;
}

/** Reads published events for as long as retention keeps them. */
export function publishedEventService({ events, archive, order }: Deps) {
  /** Null if the tenant has no such event. */
  async function find(tenant: Tenant, id: string): Promise<PublishedEvent | null> {
    const found = isObjectIdText(id) ? await events.findView(tenant, id) : null;
    return found && toPublishedEvent(found);
  }

  return {
    find,

    /** @throws AppError `NOT_FOUND` */
    async get(tenant: Tenant, id: string): Promise<PublishedEvent> {
      const found = await find(tenant, id);
      if (!found) throw new AppError('NOT_FOUND', `Event ${id} does not exist.`);
      return found;
    },

    /** Events that the tenant published, whether any endpoint receives them or not, newest first. */
    list(tenant: Tenant, filter: EventFilter, page: PageRequest): Promise<Page<PublishedEvent>> {
      const { type, conversationId, since, until } = filter;
      return readPage(page, {
        cursor: cursorCodec(
          ['events', tenant.customerId, type, conversationId, since?.getTime(), until?.getTime()],
          isObjectIdText,
        ),
        read: (before, limit) =>
          order.list(tenant, { before, positionOf: ({ id }) => id.toHexString() }, (bound) =>
            events.list(tenant, filter, { before: bound, limit }),
          ),
        positionOf: ({ _id }) => _id.toHexString(),
        toNode: toPublishedEvent,
      });
    },

    /** Events of a conversation, oldest first. */
    async ofConversation(tenant: Tenant, conversationId: string): Promise<PublishedEvent[]> {
      // An event is archived before it is removed.
      const stored = await events.ofConversation(tenant, conversationId, MAX_TIMELINE);
      const archived = await archive.ofConversation(tenant, conversationId, MAX_TIMELINE);
      const found = byId([...archived, ...stored]);
      return [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, MAX_TIMELINE);
    },

    /** Reads events by id, in one query; omits events that are unknown, removed by retention, or unreadable. */
    async findMany(tenant: Tenant, ids: readonly string[]): Promise<Map<string, PublishedEvent>> {
      return byId(await events.findMany(tenant, objectIdsOf(ids)));
    },

    /** As `findMany`, for clients: unreadable events have a marker. */
    async findManyView(tenant: Tenant, ids: readonly string[]): Promise<Map<string, PublishedEvent>> {
      return byId(await events.findManyView(tenant, objectIdsOf(ids)));
    },

    /** Number of events published since a time, for every event type; custom types are counted together. */
    countByType: (tenant: Tenant, since: Date): Promise<EventCount[]> =>
      Promise.all(
        EVENT_NAMES.map(async (event) => ({ event, count: await events.count(tenant, event, since) })),
      ),
  };
}

export type PublishedEventService = ReturnType<typeof publishedEventService>;
