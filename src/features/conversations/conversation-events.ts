import { newEvent, type OutboxEvent } from '../outbox/outbox-event.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import type { TerminalStatus } from './allowed-moves.ts';
import type { ConversationDoc } from './conversations.model.ts';
import type { Identity } from './conversations.types.ts';

type ConversationId = ConversationDoc['_id'];

// Events that both changes of a conversation and imports publish; `now` is the time in their payload.

export const startedEvent = (
  tenant: Tenant,
  { _id, visitorId }: { _id: ConversationId; visitorId: string },
  now: Date,
): OutboxEvent =>
  newEvent({
    tenant,
    event: 'conversation.started',
    data: { conversationId: _id.toHexString(), visitorId },
    now,
  });

export const identityEvent = (
  tenant: Tenant,
  { _id, identity }: { _id: ConversationId; identity: Identity },
  now: Date,
): OutboxEvent =>
  newEvent({
    tenant,
    event: 'identity.resolved',
    data: { conversationId: _id.toHexString(), ...identity },
    now,
  });

export const endedEvent = (
  tenant: Tenant,
  { _id, status, converted }: { _id: ConversationId; status: TerminalStatus; converted: boolean },
  now: Date,
): OutboxEvent =>
  newEvent({
    tenant,
    event: 'conversation.ended',
    data: { conversationId: _id.toHexString(), status, converted },
    now,
  });
