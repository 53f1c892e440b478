import { Types } from 'mongoose';
import { firstObjectIdOf } from '../../../platform/mongo/object-id.ts';
import { type StoredType, typeNameOf } from '../../outbox/event-type.ts';
import type { OutboxEventStore } from '../../outbox/outbox-event.store.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import { type DeliveryFilter, namesEvents } from './delivery-filter.ts';

/** Largest number of events whose deliveries a list has. */
const MAX_EVENTS = 1_000;
/** What one page of a search through all events reads at most, and the events of one read. */
const MAX_SEARCHED = { events: 5_000, characters: 64 * 1024 * 1024 };
const SEARCH_WINDOW = 200;

type Event = StoredType & { _id: Types.ObjectId; payload: string };

/** Returns true if a payload contains a text, ignoring case: as it is written in JSON, or as part of a value. */
function containsText(payload: string, text: string): boolean {
  const content = payload.toLowerCase();
  const wanted = text.toLowerCase();
  return content.includes(wanted) || content.includes(JSON.stringify(wanted).slice(1, -1));
}

/** True for an event without a text to look for, or whose payload the reader may see and contains it. */
const matches = ({ text, isReadable = () => true }: DeliveryFilter, event: Event): boolean =>
  text === undefined || (isReadable(typeNameOf(event)) && containsText(event.payload, text));

/** Finds the events that select the deliveries of a list: by id, by conversation, or by a text in the payload. */
export function createPayloadSearch(events: Pick<OutboxEventStore, 'payloadsOf' | 'list'>) {
  /** Reads the newest events in the time range of a filter, in windows. @param before as in `eventIds` */
  async function* newest(
    tenant: Tenant,
    { event: type, since, until }: DeliveryFilter,
    before: string | null,
  ): AsyncGenerator<Event[]> {
    let last = before === null ? null : afterSecondOf(before);
    let characters = 0;
    for (let read = 0; read < MAX_SEARCHED.events; read += SEARCH_WINDOW) {
      const window = await events.list(
        tenant,
        { type, since, until },
        { before: last, limit: SEARCH_WINDOW },
      );
      yield window;
      for (const { payload } of window) characters += payload.length;
      if (window.length < SEARCH_WINDOW || characters >= MAX_SEARCHED.characters) return;
      last = window.at(-1)?._id.toHexString() ?? null;
    }
  }

  return {
    /**
     * Ids of at most 1,000 events, newest first. A search through all events reads at most 5,000 of them, and ends earlier
     * after 64 Mi characters of payload.
     *
     * @param before delivery before which the page ends, newest first; null for the first page: no event of a later second is
     *   read
     */
    async eventIds(tenant: Tenant, filter: DeliveryFilter, before: string | null): Promise<Types.ObjectId[]> {
      const windows = namesEvents(filter)
        ? [await events.payloadsOf(tenant, filter, MAX_EVENTS)]
        : newest(tenant, filter, before);
      const found: Types.ObjectId[] = [];
      for await (const window of windows) {
        for (const event of window) if (matches(filter, event)) found.push(event._id);
        if (found.length >= MAX_EVENTS) break;
      }
      return found.slice(0, MAX_EVENTS);
    },
  };
}

/** Returns the first id of the following second: ids of two processes are in no order within a second. */
const afterSecondOf = (id: string): string =>
  firstObjectIdOf(new Date(new Types.ObjectId(id).getTimestamp().getTime() + 1_000)).toHexString();
