import { Types } from 'mongoose';
import type { Models } from '../../../src/database/models.ts';
import { isTerminal } from '../../../src/features/conversations/allowed-moves.ts';
import type { ConversationDoc } from '../../../src/features/conversations/conversations.model.ts';
import { CONVERSATION_STATUSES } from '../../../src/features/conversations/conversations.types.ts';
import type { EventDoc } from '../../../src/features/outbox/outbox-event.model.ts';
import type { DeliveryDoc } from '../../../src/features/webhooks/delivery/delivery.model.ts';
import { newObjectId } from '../../../src/platform/mongo/object-id.ts';
import { orderOf } from '../../../src/platform/mongo/time-order.ts';

/** A delivery and its event, as the service stores them. */
export interface Stored {
  event: EventDoc;
  delivery: DeliveryDoc;
}

interface Numbered {
  /** Number of the event: the goal in its body, by which the sink knows it. */
  number: number;
  customerId: number;
  endpointId: number;
}

/** The documents of an event that waits for its first attempt. */
export function waiting({ number, customerId, endpointId }: Numbered, now: Date, dueAt: Date): Stored {
  const event = 'conversion.recorded';
  const data = {
    customerId,
    orgId: `org_${customerId}`,
    conversionEventId: new Types.ObjectId().toHexString(),
    conversationId: null,
    conversionType: `n${number}`,
    value: null,
  };
  const payload = JSON.stringify({ event, data, ts: Math.floor(now.getTime() / 1000) });
  const stored: EventDoc = { _id: newObjectId(now), customerId, event, payload, createdAt: now };
  return {
    event: stored,
    delivery: {
      _id: newObjectId(now),
      customerId,
      endpointId,
      eventId: stored._id,
      event,
      status: 'pending',
      attempt: 0,
      nextRetryAt: null,
      createdAt: now,
      lastAttemptAt: null,
      responseStatus: null,
      error: null,
      durationMs: null,
      attempts: [],
      lane: 'inline',
      dueAt,
    },
  };
}

/** The same after a first attempt that succeeded. */
export function succeeded({ delivery: { dueAt: _dueAt, ...delivery } }: Stored, at: Date): DeliveryDoc {
  const result = { responseStatus: 200, error: null, durationMs: 3 };
  return {
    ...delivery,
    ...result,
    status: 'succeeded',
    attempt: 1,
    lastAttemptAt: at,
    finishedAt: at,
    attempts: [{ ...result, at, manual: false, responseBody: '' }],
  };
}

/** The same after attempts that all failed; retried at `dueAt`, or failed if that is null. */
export function failing({ delivery }: Stored, at: Date, dueAt: Date | null): DeliveryDoc {
  const { dueAt: _dueAt, ...rest } = delivery;
  const result = { responseStatus: 503, error: 'http_503', durationMs: 12 };
  const attempt = dueAt === null ? 5 : 2;
  const made = { ...result, at, manual: false, responseBody: 'Service Unavailable' };
  return {
    ...rest,
    ...result,
    attempt,
    lastAttemptAt: at,
    attempts: Array.from({ length: attempt }, () => made),
    nextRetryAt: dueAt,
    ...(dueAt === null
      ? { status: 'failed', finishedAt: at }
      : { status: 'retrying', lane: 'scheduled', dueAt }),
  };
}

/** The same cancelled before its first attempt. */
export const cancelled = ({ delivery: { dueAt: _dueAt, ...delivery } }: Stored, at: Date): DeliveryDoc => ({
  ...delivery,
  status: 'cancelled',
  finishedAt: at,
});

/** Visitors of a tenant, at most. */
export const MAX_VISITORS = 50_000;

/** A conversation without messages; its status, and whether it is converted, go by its number. */
export function storedConversation(of: {
  number: number;
  customerId: number;
  startedAt: Date;
}): ConversationDoc {
  const { number, customerId, startedAt } = of;
  const _id = new Types.ObjectId();
  const status = CONVERSATION_STATUSES[number % CONVERSATION_STATUSES.length] ?? 'active';
  const converted = status === 'converted' || number % 3 === 0;
  const goal = converted ? 'demo' : null;
  return {
    _id,
    customerId,
    visitorId: `v_${number % MAX_VISITORS}`,
    status,
    converted,
    goal,
    startedAt,
    endedAt: isTerminal(status) ? startedAt : null,
    order: orderOf(startedAt, _id),
    messageCount: 0,
    textBytes: 0,
    identity: null,
    conversion: goal && { id: _id.toHexString(), type: goal, goal, value: null, recordedAt: startedAt },
    outcome: null,
    resolution: null,
  };
}

/** Messages of each conversation that `storeConversations` stores. */
export const MESSAGES = 2;

/** Stores conversations with messages. @param ageMs returns how long ago the conversation of a number has started */
export async function storeConversations(
  { Conversation, Message }: Models,
  { count, customerId, ageMs }: { count: number; customerId: number; ageMs(number: number): number },
): Promise<void> {
  const options = { ordered: false, writeConcern: { w: 1 } } as const;
  for (let first = 0; first < count; first += CONVERSATIONS_AT_ONCE) {
    const rows = Array.from({ length: Math.min(CONVERSATIONS_AT_ONCE, count - first) }, (_, index) => {
      const startedAt = new Date(Date.now() - ageMs(first + index));
      return {
        ...storedConversation({ number: first + index, customerId, startedAt }),
        messageCount: MESSAGES,
      };
    });
    await Conversation.collection.insertMany(rows as never, options);
    const messages = rows.flatMap(({ _id: conversationId, startedAt: sentAt }) =>
      Array.from({ length: MESSAGES }, (_, seq) => ({
        ...{ _id: new Types.ObjectId(), customerId, conversationId, seq },
        ...{ role: 'visitor', text: 'Where is my parcel? It was sent last week.', sentAt },
      })),
    );
    await Message.collection.insertMany(messages as never, options);
  }
}

const CONVERSATIONS_AT_ONCE = 2_500;
const BATCH = 5_000;
/** Batches on their way at once. */
const PARALLEL = 2;

/** Stores deliveries, and their events where `make` gives them, as fast as the database takes them. */
export async function store(
  { Event, Delivery }: Models,
  count: number,
  make: (index: number) => { delivery: DeliveryDoc; event?: EventDoc },
): Promise<void> {
  const options = { ordered: false, writeConcern: { w: 1 } } as const;
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const size = Math.min(BATCH, count - next);
      const made = Array.from({ length: size }, (_, i) => make(next + i));
      next += size;
      const events = made.flatMap(({ event }) => (event ? [event] : []));
      if (events.length > 0) await Event.collection.insertMany(events as never[], options);
      await Delivery.collection.insertMany(made.map(({ delivery }) => delivery) as never[], options);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
}
