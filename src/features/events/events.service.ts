import { hash } from 'node:crypto';
import { Types } from 'mongoose';
import { AppError } from '../../errors/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { createKeyedSerial } from '../../platform/keyed-serial.ts';
import type { UnitOfWork } from '../../platform/mongo/committer.ts';
import { duplicateKeyOf } from '../../platform/mongo/duplicate-key.ts';
import { newObjectId } from '../../platform/mongo/object-id.ts';
import type { Conversions } from '../conversations/conversions.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { OutboxEvent } from '../outbox/outbox-event.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import { type IdempotencyDoc, type PreviewEventDoc, toPreviewEvent } from './events.model.ts';
import type { EventStore } from './events.store.ts';
import type { PreviewEvent } from './events.types.ts';

/** Lifetime of an `Idempotency-Key` (contract 7). */
const IDEMPOTENCY_TTL_MS = 24 * 60 * 60 * 1000;

/** The only event type that is delivered to webhooks; all other types are custom types of the tenant. */
const CONVERSION = 'conversion';

export interface RecordEventInput {
  /** `conversion` or a custom type. */
  type: string;
  visitorId: string;
  /** Required for a conversion. */
  goal?: string | null;
  conversationId?: string | null;
  value?: number | null;
  /** Time of the event; the current time by default. */
  occurredAt?: Date | null;
  properties?: Record<string, unknown> | null;
}

interface RecordOptions {
  /** The same key and input return the first response for 24 hours. */
  idempotencyKey?: string | undefined;
}

export interface RecordedEvent {
  event: PreviewEvent;
  /** True if this is the stored response to an earlier request with the same key and input. */
  replayed: boolean;
}

interface Deps {
  events: EventStore;
  conversions: Conversions;
  outbox: Outbox;
  clock: Clock;
}

export function eventService({ events, conversions, outbox, clock }: Deps) {
  const serialize = createKeyedSerial();

  /**
   * Returns the stored response to an earlier request.
   * @throws AppError `CONFLICT` if the key was used with a different input, or its event was deleted
   */
  async function replay(tenant: Tenant, stored: IdempotencyDoc, fingerprint: string): Promise<RecordedEvent> {
    if (stored.fingerprint !== fingerprint)
      throw new AppError(
        'CONFLICT',
        'This Idempotency-Key was used with a different request; use a new key for a new request.',
      );
    const event = await events.find(tenant, stored.eventId);
    if (!event)
      throw new AppError(
        'CONFLICT',
        'The event of this Idempotency-Key was deleted; use a new key for a new request.',
      );
    return { event: toPreviewEvent(event), replayed: true };
  }

  /** Returns the conversation of an event: the given one or, for a conversion, the visitor's newest. */
  async function conversationOf(tenant: Tenant, { type, visitorId, conversationId }: RecordEventInput) {
    if (conversationId) return conversions.requireOfVisitor(tenant, visitorId, conversationId);
    return type === CONVERSION ? conversions.newestOfVisitor(tenant, visitorId) : null;
  }

  async function plan(
    tenant: Tenant,
    input: RecordEventInput,
  ): Promise<UnitOfWork<OutboxEvent, RecordedEvent>> {
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
    const writes = [events.insertion(doc)];
    if (input.type !== CONVERSION || goal === null) return { writes, events: [], result };
    const conversion = { id: doc._id, goal, type: goal, value: doc.value };
    const planned = conversions.planWithConversation(tenant, { conversation, conversion, now });
    return { writes: [...writes, ...planned.writes], events: planned.events, result };
  }

  /**
   * Commits the event together with its idempotency record, or replays the stored response.
   *
   * @param id of the idempotency record
   */
  async function recordOnce(tenant: Tenant, input: RecordEventInput, id: string): Promise<RecordedEvent> {
    const fingerprint = hash('sha256', JSON.stringify(input));
    const { result } = await outbox.commit<RecordedEvent>(async () => {
      const now = clock.now();
      const stored = await events.findIdempotency(id);
      if (stored && stored.expiresAt > now)
        return { writes: [], events: [], result: await replay(tenant, stored, fingerprint) };
      const planned = await plan(tenant, input);
      const record = {
        _id: id,
        fingerprint,
        eventId: new Types.ObjectId(planned.result.event.id),
        expiresAt: new Date(now.getTime() + IDEMPOTENCY_TTL_MS),
      };
      const expired = stored ? [events.idempotencyRemoval(stored)] : [];
      return { ...planned, writes: [...expired, ...planned.writes, events.idempotencyInsertion(record)] };
    });
    return result;
  }

  return {
    /**
     * Records an event. A conversion is published as `conversion.recorded`.
     *
     * @throws AppError `NOT_FOUND` or `VALIDATION_FAILED` for the conversation; `CONFLICT` for the key
     */
    async record(
      tenant: Tenant,
      input: RecordEventInput,
      { idempotencyKey }: RecordOptions = {},
    ): Promise<RecordedEvent> {
      if (idempotencyKey === undefined) return (await outbox.commit(() => plan(tenant, input))).result;
      const id = `${tenant.customerId}:events:${idempotencyKey}`;
      // Serialized: committed together, requests with the same key would abort the transaction of their group.
      return serialize(id, () =>
        recordOnce(tenant, input, id).catch((error: unknown) => {
          if (duplicateKeyOf(error) === null) throw error;
          // Another process has committed a request with the same key: its response is stored now.
          return recordOnce(tenant, input, id);
        }),
      );
    },
  };
}

export type EventService = ReturnType<typeof eventService>;
