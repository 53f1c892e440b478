import { hash } from 'node:crypto';
import { Types } from 'mongoose';
import { AppError, invalid } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Committer, UnitOfWork } from '../../platform/mongo/committer.ts';
import { duplicateKeyOf } from '../../platform/mongo/duplicate-key.ts';
import { newObjectId } from '../../platform/mongo/object-id.ts';
import type { ConversationStore } from '../conversations/conversations.store.ts';
import { conversionUnit } from '../conversations/conversions.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import type { OutgoingEvent } from '../webhooks/outbox.ts';
import type { IdempotencyDoc, PreviewEventDoc } from './events.model.ts';
import type { EventStore } from './events.store.ts';

/** How long a repeated `Idempotency-Key` gets the first answer (contract 7). */
const IDEMPOTENCY_MS = 24 * 60 * 60 * 1000;

/** The type that webhooks tell of; every other one is the customer's own. */
const CONVERSION = 'conversion';

export interface RecordEventInput {
  /** `conversion`, or a name of the customer's own. */
  type: string;
  visitorId: string;
  /** Required for a conversion. */
  goal?: string | null;
  conversationId?: string | null;
  value?: number | null;
  /** When it happened; default: now. */
  occurredAt?: Date | null;
  properties?: Record<string, unknown> | null;
}

/** An event as it was accepted. For a conversion `id` is the `conversionEventId` of its webhook. */
export interface PreviewEvent {
  id: string;
  type: string;
  goal: string | null;
  visitorId: string;
  conversationId: string | null;
  value: number | null;
  occurredAt: Date;
  createdAt: Date;
}

export interface RecordedEvent {
  event: PreviewEvent;
  /** True when the same key and input were answered before, and this is that answer. */
  replayed: boolean;
}

interface Deps {
  events: EventStore;
  conversations: ConversationStore;
  committer: Committer<OutgoingEvent>;
  clock: Clock;
}

const toPreviewEvent = (doc: PreviewEventDoc): PreviewEvent => ({
  id: doc._id.toHexString(),
  type: doc.type,
  goal: doc.goal,
  visitorId: doc.visitorId,
  conversationId: doc.conversationId?.toHexString() ?? null,
  value: doc.value,
  occurredAt: doc.occurredAt,
  createdAt: doc.createdAt,
});

export function eventService({ events, conversations, committer, clock }: Deps) {
  /** The answer to the same key and input, if there is one; `CONFLICT` when the input is another. */
  async function replay(tenant: Tenant, answer: IdempotencyDoc, fingerprint: string): Promise<RecordedEvent> {
    if (answer.fingerprint !== fingerprint)
      throw new AppError(
        'CONFLICT',
        'This Idempotency-Key was used for another request; a new request needs a new one.',
      );
    const event = await events.find(tenant, answer.eventId);
    if (!event)
      throw new AppError(
        'CONFLICT',
        'The event that this Idempotency-Key was used for is no longer kept; use a new one.',
      );
    return { event: toPreviewEvent(event), replayed: true };
  }

  /** The conversation that an event belongs to: the one it names or, for a conversion, the visitor's newest. */
  async function conversationOf(tenant: Tenant, { type, visitorId, conversationId }: RecordEventInput) {
    if (!conversationId) return type === CONVERSION ? conversations.newestOfVisitor(tenant, visitorId) : null;
    const found = await conversations.get(tenant, conversationId);
    if (found.visitorId !== visitorId)
      throw invalid('conversationId', 'Must be a conversation of the same visitor.');
    return found;
  }

  /** What it means to accept an event. */
  async function unit(
    tenant: Tenant,
    input: RecordEventInput,
  ): Promise<UnitOfWork<OutgoingEvent, RecordedEvent>> {
    const conversation = await conversationOf(tenant, input);
    const now = clock.now();
    const goal = input.goal ?? null;
    const doc: PreviewEventDoc = {
      _id: newObjectId(now),
      customerId: tenant.customerId,
      type: input.type,
      goal,
      visitorId: input.visitorId,
      conversationId: conversation?._id ?? null,
      value: input.value ?? null,
      properties: input.properties ? JSON.stringify(input.properties) : null,
      occurredAt: input.occurredAt ?? now,
      createdAt: now,
    };
    const result = { event: toPreviewEvent(doc), replayed: false };
    const writes = [events.insertion(tenant, doc)];
    if (input.type !== CONVERSION || goal === null) return { writes, events: [], result };
    const conversion = { id: doc._id, goal, type: goal, value: doc.value };
    const meant = conversionUnit(conversations, tenant, conversation, conversion, now);
    if (conversation)
      writes.push(conversations.update(tenant, conversation._id, {}, { $set: meant.changed }));
    return { writes: [...writes, ...meant.writes], events: meant.events, result };
  }

  return {
    /**
     * Accepts an event. A conversion is told to the tenant's endpoints as `conversion.recorded`.
     *
     * @param idempotencyKey with the same key and input within 24 h the first answer is given again; null: none
     */
    async record(
      tenant: Tenant,
      input: RecordEventInput,
      idempotencyKey: string | null,
    ): Promise<RecordedEvent> {
      if (idempotencyKey === null) {
        return committer.commit(() => unit(tenant, input));
      }
      const id = `${tenant.customerId}:events:${idempotencyKey}`;
      const fingerprint = hash('sha256', JSON.stringify(input));
      const attempt = () =>
        committer.commit<RecordedEvent>(async () => {
          const now = clock.now();
          const answer = await events.answered(tenant, id);
          if (answer && answer.expiresAt > now)
            return { writes: [], events: [], result: await replay(tenant, answer, fingerprint) };
          const planned = await unit(tenant, input);
          const { id: eventId } = planned.result.event;
          const expiresAt = new Date(now.getTime() + IDEMPOTENCY_MS);
          const kept = events.answer(tenant, {
            _id: id,
            fingerprint,
            eventId: new Types.ObjectId(eventId),
            expiresAt,
          });
          return {
            ...planned,
            writes: [...(answer ? [events.forget(tenant, answer)] : []), ...planned.writes, kept],
          };
        });
      // A twin that ran at the same time was faster: its answer is there now.
      return attempt().catch((error: unknown) => {
        if (duplicateKeyOf(error) === null) throw error;
        return attempt();
      });
    },
  };
}

export type EventService = ReturnType<typeof eventService>;
