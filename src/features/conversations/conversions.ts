import type { Types } from 'mongoose';
import type { Write } from '../../platform/mongo/write.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import { type OutgoingEvent, outgoing } from '../webhooks/outbox.ts';
import type { ConversationDoc } from './conversations.model.ts';
import type { ConversationStore } from './conversations.store.ts';

interface NewConversion {
  /** `conversionEventId` of its webhook. */
  id: Types.ObjectId;
  goal: string;
  /** What kind it is; the goal unless said otherwise. */
  type: string;
  value: number | null;
}

/**
 * What it means to record a conversion: it is kept, marks the conversation it belongs to as converted and sets its
 * goal, and is told. The one place for the mutation and for `POST /v1/events`.
 *
 * @param conversation null: it belongs to none
 * @returns beside writes and events, what it changes of the conversation
 */
export function conversionUnit(
  store: ConversationStore,
  tenant: Tenant,
  conversation: Pick<ConversationDoc, '_id'> | null,
  { id, goal, type, value }: NewConversion,
  now: Date,
): {
  writes: Write[];
  events: OutgoingEvent[];
  changed: Pick<ConversationDoc, 'converted' | 'goal' | 'conversion'>;
} {
  const conversationId = conversation?._id ?? null;
  const recorded = { type, goal, value, recordedAt: now };
  const told = {
    conversionEventId: id.toHexString(),
    conversationId: conversationId?.toHexString() ?? null,
    conversionType: type,
    value,
  };
  const { customerId } = tenant;
  return {
    writes: conversationId
      ? [
          store.recordInsertion(tenant, {
            _id: id,
            customerId,
            conversationId,
            kind: 'conversion',
            data: recorded,
          }),
        ]
      : [],
    events: [outgoing(tenant, 'conversion.recorded', told, now)],
    changed: { converted: true, goal, conversion: { id: id.toHexString(), ...recorded } },
  };
}
