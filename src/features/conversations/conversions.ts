import type { Types } from 'mongoose';
import { invalid } from '../../errors/app-error.ts';
import type { Write } from '../../platform/commit/unit-of-work.ts';
import type { EventSource } from '../outbox/outbox-event.model.ts';
import { newEvent, type OutboxEvent } from '../outbox/outbox-event.ts';
import { SUPPRESSED } from '../privacy/person.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import { type ConversationDoc, nextEventTime } from './conversations.model.ts';
import type { ConversationStore } from './conversations.store.ts';

export interface NewConversion {
  /** Also `conversionEventId` of its webhook. */
  id: Types.ObjectId;
  goal: string;
  type: string;
  value: number | null;
  /** The event that recorded the conversion; null if it was recorded through a conversation. */
  source?: EventSource | null;
}

export interface ConversionOptions {
  /** Null if the conversion belongs to no conversation. */
  conversation: Pick<ConversationDoc, '_id' | 'lastEventAt'> | null;
  conversion: NewConversion;
  now: Date;
}

export interface ConversionUnit {
  writes: Write[];
  events: OutboxEvent[];
}

/** Plans conversions: the one rule for `recordConversion`, `POST /v1/events` and imports. */
export function createConversions(conversations: ConversationStore) {
  /**
   * Plans a conversion and its event.
   *
   * @returns also the changes of its conversation, which the caller must write
   */
  async function plan(
    tenant: Tenant,
    { conversation, conversion: { id, goal, type, value, source = null }, now }: ConversionOptions,
  ): Promise<ConversionUnit & { changed: Pick<ConversationDoc, 'converted' | 'goal' | 'conversion'> }> {
    const conversationId = conversation?._id ?? null;
    const recorded = { type, goal, value, recordedAt: now };
    const milestone = conversationId && {
      _id: id,
      customerId: tenant.customerId,
      conversationId,
      kind: 'conversion' as const,
      data: recorded,
    };
    const event = newEvent({
      tenant,
      event: 'conversion.recorded',
      data: {
        conversionEventId: id.toHexString(),
        conversationId: conversationId?.toHexString() ?? null,
        conversionType: type,
        value,
      },
      source,
      now,
    });
    return {
      writes: await conversations.milestoneInsertions(milestone ? [milestone] : []),
      events: [event],
      changed: { converted: true, goal, conversion: { id: id.toHexString(), ...recorded } },
    };
  }

  return {
    plan,

    /** Plans a conversion together with the change of its conversation. */
    async planWithConversation(tenant: Tenant, options: ConversionOptions): Promise<ConversionUnit> {
      const { writes, events, changed } = await plan(tenant, options);
      const { conversation, now } = options;
      const updates = conversation
        ? [await conversations.update(tenant, conversation, { set: changed, eventAt: now })]
        : [];
      return { writes: [...updates, ...writes], events };
    },

    /** Plans what a published event changes of its conversation: later events of it have later times. */
    planEventAt: (tenant: Tenant, conversation: Pick<ConversationDoc, '_id'>, now: Date): Promise<Write> =>
      conversations.update(tenant, conversation, { set: {}, eventAt: now }),

    /** Returns the time of a conversion that is recorded now. */
    timeOf: (conversation: ConversionOptions['conversation'], now: Date): Date =>
      nextEventTime(conversation ?? {}, now),

    /** Returns the visitor's most recent conversation; null if there is none, or if the visitor is suppressed. */
    newestOfVisitor: async (tenant: Tenant, visitorId: string) =>
      visitorId === SUPPRESSED ? null : conversations.newestOfVisitor(tenant, visitorId),

    /**
     * Returns a conversation of the visitor, or of a suppressed person, whose visitor is not known any more.
     *
     * @throws AppError `NOT_FOUND`; `VALIDATION_FAILED` if the conversation belongs to another visitor
     */
    async requireOfVisitor(tenant: Tenant, visitorId: string, conversationId: string) {
      const found = await conversations.get(tenant, conversationId);
      if (found.visitorId !== visitorId && found.visitorId !== SUPPRESSED)
        throw invalid('conversationId', 'Must be a conversation of the same visitor.');
      return found;
    },
  };
}

export type Conversions = ReturnType<typeof createConversions>;
