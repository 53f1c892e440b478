import type { Clock } from '../../platform/clock.ts';
import type { UnitOfWork } from '../../platform/mongo/committer.ts';
import { newObjectId } from '../../platform/mongo/object-id.ts';
import type { ConversionOptions, Conversions } from '../conversations/conversions.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { OutboxEvent } from '../outbox/outbox-event.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import { type PreviewEventDoc, toPreviewEvent } from './events.model.ts';
import type { EventStore } from './events.store.ts';
import type { PreviewEvent } from './events.types.ts';

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

interface PlannedConversion extends Pick<ConversionOptions, 'conversation'> {
  goal: string;
  doc: PreviewEventDoc;
}

interface Deps {
  events: EventStore;
  conversions: Conversions;
  outbox: Outbox;
  clock: Clock;
}

export function eventService({ events, conversions, outbox, clock }: Deps) {
  /** Returns the conversation of an event: the given one or, for a conversion, the visitor's newest. */
  async function conversationOf(tenant: Tenant, { type, visitorId, conversationId }: RecordEventInput) {
    if (conversationId) return conversions.requireOfVisitor(tenant, visitorId, conversationId);
    return type === CONVERSION ? conversions.newestOfVisitor(tenant, visitorId) : null;
  }

  /** Plans a conversion: its event in the outbox is its record. */
  function planConversion(tenant: Tenant, { goal, doc, conversation }: PlannedConversion) {
    const { _id: id, value, visitorId, occurredAt, properties, createdAt: now } = doc;
    const source = { visitorId, occurredAt, properties };
    const conversion = { id, goal, type: goal, value, source };
    return conversions.planWithConversation(tenant, { conversation, conversion, now });
  }

  async function plan(
    tenant: Tenant,
    input: RecordEventInput,
  ): Promise<UnitOfWork<OutboxEvent, PreviewEvent>> {
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
    const result = toPreviewEvent(doc);
    if (input.type === CONVERSION && goal !== null)
      return { ...planConversion(tenant, { goal, doc, conversation }), result };
    return { writes: [events.insertion(doc)], events: [], result };
  }

  return {
    /**
     * Records an event. A conversion is published as `conversion.recorded`.
     *
     * @throws AppError `NOT_FOUND` or `VALIDATION_FAILED` for the conversation
     */
    record: async (tenant: Tenant, input: RecordEventInput): Promise<PreviewEvent> =>
      (await outbox.commit(() => plan(tenant, input))).result,
  };
}

export type EventService = ReturnType<typeof eventService>;
