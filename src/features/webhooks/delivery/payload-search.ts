import { typeNameOf } from '../../outbox/event-type.ts';
import type { OutboxEventStore } from '../../outbox/outbox-event.store.ts';
import type { DeliveryDoc } from './delivery.model.ts';
import type { DeliveryFilter } from './delivery-filter.ts';

/** What one page of a search reads at most. */
const MAX_SEARCHED = { deliveries: 5_000, characters: 64 * 1024 * 1024 };
/** Deliveries whose payloads are in memory at a time. */
const SEARCH_WINDOW = 100;

interface Search {
  filter: Pick<DeliveryFilter, 'isReadable' | 'signal'> & { text: string };
  /** As in `ListOptions` of the store. */
  before: string | null;
  limit: number;
  /** Reads deliveries that fulfil the other conditions, newest first. */
  readBefore: (before: string | null, limit: number) => Promise<DeliveryDoc[]>;
  events: Pick<OutboxEventStore, 'payloads'>;
}

/** Returns a function that tells whether a payload contains a text, ignoring case: as it is in JSON, or as part of a value. */
export function payloadMatcher(text: string): (payload: string) => boolean {
  const wanted = text.toLowerCase();
  const escaped = JSON.stringify(wanted).slice(1, -1);
  return (payload) => {
    const content = payload.toLowerCase();
    return content.includes(wanted) || content.includes(escaped);
  };
}

/**
 * Returns up to `limit` deliveries of events whose payload contains a text. It reads the payloads of at most 5,000 deliveries,
 * newest first, and ends earlier after about 64 Mi characters: there is no index of them. An unreadable payload has no text.
 *
 * @throws the reason of the signal once it is aborted
 */
export async function searchPayloads({
  filter: { text, isReadable = () => true, signal },
  before,
  limit,
  readBefore,
  events,
}: Search): Promise<DeliveryDoc[]> {
  const contains = payloadMatcher(text);
  const found: DeliveryDoc[] = [];
  let last = before;
  let characters = 0;
  for (let read = 0; read < MAX_SEARCHED.deliveries; read += SEARCH_WINDOW) {
    signal?.throwIfAborted();
    const window = await readBefore(last, SEARCH_WINDOW);
    const { readable } = await events.payloads(window.filter((delivery) => isReadable(typeNameOf(delivery))));
    const matching = new Set<string>();
    for (const [eventId, payload] of readable) {
      characters += payload.length;
      if (contains(payload)) matching.add(eventId);
    }
    found.push(...window.filter(({ eventId }) => matching.has(eventId.toHexString())));
    const isExhausted = window.length < SEARCH_WINDOW || characters >= MAX_SEARCHED.characters;
    if (isExhausted || found.length >= limit) break;
    last = window.at(-1)?._id.toHexString() ?? null;
  }
  return found.slice(0, limit);
}
