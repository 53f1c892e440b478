import { objectIdsOf } from '../../platform/mongo/object-id.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import { EVENT_NAMES, type EventName } from './event-catalog.ts';
import type { EventDoc } from './outbox-event.model.ts';
import type { OutboxEventStore } from './outbox-event.store.ts';

/** Largest number of events in one timeline. */
const MAX_TIMELINE = 1_000;

/** A published event, as its deliveries and the timeline of its conversation show it. */
export interface TimelineEvent {
  id: string;
  event: EventName;
  /** The envelope, as sent. */
  payload: string;
  createdAt: Date;
}

export interface EventCount {
  event: EventName;
  count: number;
}

const toTimelineEvent = ({ _id, event, payload, createdAt }: EventDoc): TimelineEvent => ({
  id: _id.toHexString(),
  event,
  payload,
  createdAt,
});

/** Reads published events for as long as retention keeps them. */
export function timelineService({ events }: { events: OutboxEventStore }) {
  return {
    /** Events of a conversation, oldest first. */
    async ofConversation(tenant: Tenant, conversationId: string): Promise<TimelineEvent[]> {
      const rows = await events.ofConversation(tenant, conversationId, MAX_TIMELINE);
      return rows.map(toTimelineEvent);
    },

    /** Reads events by id, in one query; omits unknown events and events that retention removed. */
    async findMany(tenant: Tenant, ids: readonly string[]): Promise<Map<string, TimelineEvent>> {
      const rows = await events.findMany(tenant, objectIdsOf(ids));
      return new Map(rows.map(toTimelineEvent).map((event) => [event.id, event]));
    },

    /** Number of events published since a time, for every event type. */
    countByType: (tenant: Tenant, since: Date): Promise<EventCount[]> =>
      Promise.all(
        EVENT_NAMES.map(async (event) => ({ event, count: await events.count(tenant, event, since) })),
      ),
  };
}

export type TimelineService = ReturnType<typeof timelineService>;
