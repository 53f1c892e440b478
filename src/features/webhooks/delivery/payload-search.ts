import type { Types } from 'mongoose';
import { type StoredType, typeNameOf } from '../../outbox/event-type.ts';
import type { OutboxEventStore } from '../../outbox/outbox-event.store.ts';
import type { DeliveryDoc } from './delivery.model.ts';
import type { DeliveryFilter } from './delivery-filter.ts';

/** What one page of a search reads at most. */
const MAX_SEARCHED = { deliveries: 5_000, characters: 64 * 1024 * 1024 };
/** Events whose payloads are in memory at a time. */
const WINDOW = 100;

/** An event, or a delivery of it. */
interface EventRef extends StoredType {
  eventId: Types.ObjectId;
  customerId: number;
}

/** What to look for, and where; an unreadable payload has no text. */
type TextFilter = Pick<DeliveryFilter, 'isReadable' | 'signal'> & { text: string };

type Payloads = Pick<OutboxEventStore, 'payloads'>;

/** Returns a function that tells whether a payload contains a text, ignoring case: as it is in JSON, or as part of a value. */
function payloadMatcher(text: string): (payload: string) => boolean {
  const wanted = text.toLowerCase();
  const escaped = JSON.stringify(wanted).slice(1, -1);
  return (payload) => {
    const content = payload.toLowerCase();
    return content.includes(wanted) || content.includes(escaped);
  };
}

/** Finds the members of a window whose payload contains the text, and the length of the payloads that were read. */
async function searchWindow<R extends EventRef>(
  window: readonly R[],
  { text, isReadable = () => true, signal }: TextFilter,
  events: Payloads,
): Promise<{ found: R[]; characters: number }> {
  signal?.throwIfAborted();
  const { readable } = await events.payloads(window.filter((ref) => isReadable(typeNameOf(ref))));
  const contains = payloadMatcher(text);
  let characters = 0;
  const matching = new Set<string>();
  for (const [eventId, payload] of readable) {
    characters += payload.length;
    if (contains(payload)) matching.add(eventId);
  }
  return { found: window.filter(({ eventId }) => matching.has(eventId.toHexString())), characters };
}

/** Returns those of the events whose payload contains the text. @throws the reason of the signal once it is aborted */
export async function withText<R extends EventRef>(
  refs: readonly R[],
  filter: TextFilter,
  events: Payloads,
): Promise<R[]> {
  const all: R[] = [];
  for (let from = 0; from < refs.length; from += WINDOW)
    all.push(...(await searchWindow(refs.slice(from, from + WINDOW), filter, events)).found);
  return all;
}

interface Search {
  filter: TextFilter;
  /** As in `ListOptions` of the store. */
  before: string | null;
  limit: number;
  /** Reads deliveries that fulfil the other conditions, newest first. */
  readBefore: (before: string | null, limit: number) => Promise<DeliveryDoc[]>;
  events: Payloads;
}

/**
 * Returns up to `limit` deliveries of events whose payload contains a text. It reads the payloads of at most 5,000 deliveries,
 * newest first, and ends earlier after about 64 Mi characters: there is no index of them.
 *
 * @throws the reason of the signal once it is aborted
 */
export async function searchPayloads({
  filter,
  before,
  limit,
  readBefore,
  events,
}: Search): Promise<DeliveryDoc[]> {
  const all: DeliveryDoc[] = [];
  let last = before;
  let characters = 0;
  for (let read = 0; read < MAX_SEARCHED.deliveries; read += WINDOW) {
    const window = await readBefore(last, WINDOW);
    const searched = await searchWindow(window, filter, events);
    all.push(...searched.found);
    characters += searched.characters;
    const isExhausted = window.length < WINDOW || characters >= MAX_SEARCHED.characters;
    if (isExhausted || all.length >= limit) break;
    last = window.at(-1)?._id.toHexString() ?? null;
  }
  return all.slice(0, limit);
}
