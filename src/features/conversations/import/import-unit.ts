import { Types } from 'mongoose';
import type { Write } from '../../../platform/commit/unit-of-work.ts';
import { isObjectIdText, newObjectId } from '../../../platform/mongo/object-id.ts';
import { orderOf } from '../../../platform/mongo/time-order.ts';
import { newEvent, type OutboxEvent } from '../../outbox/outbox-event.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import { isTerminal } from '../allowed-moves.ts';
import type { ConversationDoc, MessageDoc } from '../conversations.model.ts';
import type { Conversions } from '../conversions.ts';
import { textBytesOf } from '../message-text.ts';
import type { ImportedConversation } from './import-line.ts';

interface UnitOptions {
  conversions: Conversions;
  /** True to emit the conversation's events. */
  emit: boolean;
  /** True to keep the conversation's id and nested ids if they are object ids. */
  keepIds: boolean;
  now: Date;
}

/** What is stored for one imported conversation. */
export interface ImportUnit {
  conversation: ConversationDoc;
  messages: MessageDoc[];
  records: Write[];
  events: OutboxEvent[];
  /** True if the ids come from the imported line and may already be in use. */
  keepsIds: boolean;
}

export function importUnit(
  tenant: Tenant,
  imported: ImportedConversation,
  { conversions, emit, keepIds, now }: UnitOptions,
): ImportUnit {
  const { customerId } = tenant;
  const idOf = (id: string | null): Types.ObjectId =>
    keepIds && isObjectIdText(id) ? new Types.ObjectId(id) : newObjectId(now);
  const { id: importId, visitorId, status, goal, startedAt, endedAt, identity, messages } = imported;
  const _id = idOf(importId);
  const conversion = imported.conversion && { ...imported.conversion, id: idOf(imported.conversion.id) };
  const recorded =
    conversion && conversions.plan(tenant, { conversation: { _id }, conversion, now: conversion.recordedAt });
  const conversation: ConversationDoc = {
    _id,
    customerId,
    visitorId,
    status,
    converted: recorded !== null,
    goal,
    startedAt,
    endedAt,
    order: orderOf(startedAt, _id),
    messageCount: messages.length,
    textBytes: textBytesOf(messages),
    identity,
    conversion: recorded?.changed.conversion ?? null,
    outcome: null,
    resolution: null,
    importId,
  };
  return {
    conversation,
    messages: messages.map(({ id, role, text, sentAt }, seq) => ({
      _id: idOf(id),
      customerId,
      conversationId: _id,
      seq,
      role,
      text,
      sentAt,
    })),
    records: recorded?.writes ?? [],
    events: emit ? eventsOf(tenant, conversation, { conversionEvents: recorded?.events ?? [], now }) : [],
    keepsIds: keepIds,
  };
}

/**
 * Returns the events that the conversation would have emitted in this service, in order. `ts` is the original time. The
 * ids are new, because the order of lists and the retention depend on them.
 */
function eventsOf(
  tenant: Tenant,
  { _id, visitorId, status, converted, startedAt, endedAt, identity }: ConversationDoc,
  { conversionEvents, now }: { conversionEvents: OutboxEvent[]; now: Date },
): OutboxEvent[] {
  const conversationId = _id.toHexString();
  const events = [
    newEvent({ tenant, event: 'conversation.started', data: { conversationId, visitorId }, now: startedAt }),
  ];
  if (identity)
    events.push(
      newEvent({ tenant, event: 'identity.resolved', data: { conversationId, ...identity }, now: startedAt }),
    );
  events.push(...conversionEvents);
  if (isTerminal(status) && endedAt) {
    const data = { conversationId, status, converted };
    events.push(newEvent({ tenant, event: 'conversation.ended', data, now: endedAt }));
  }
  return events.map((event) => ({ ...event, id: newObjectId(now) }));
}
