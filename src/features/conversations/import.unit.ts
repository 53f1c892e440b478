import { Types } from 'mongoose';
import { isObjectIdText } from '../../platform/cursor.ts';
import { newObjectId } from '../../platform/mongo/object-id.ts';
import { orderOf } from '../../platform/mongo/order.ts';
import type { Write } from '../../platform/mongo/write.ts';
import { newEvent, type OutboxEvent } from '../outbox/outbox-event.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import type { ConversationDoc, MessageDoc } from './conversations.model.ts';
import type { Conversions } from './conversions.ts';
import type { ImportedConversation } from './import.line.ts';
import { isTerminal } from './transitions.ts';

export interface ImportOptions {
  /** Whether the tenant's endpoints hear of it. */
  emit: boolean;
  /** Whether its own id, and those inside it, are kept where they are object ids. */
  keepIds: boolean;
}

/** What it means to import a conversation. */
export interface ImportUnit {
  conversation: ConversationDoc;
  messages: MessageDoc[];
  /** What was recorded in it. */
  records: Write[];
  events: OutboxEvent[];
}

export function importUnit(
  conversions: Conversions,
  tenant: Tenant,
  imported: ImportedConversation,
  { emit, keepIds }: ImportOptions,
  now: Date,
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
    events: emit ? eventsOf(tenant, conversation, recorded?.events ?? [], now) : [],
  };
}

/**
 * What would have been told had it happened here, in its order. `ts` says when it happened; the ids are of now, since
 * lists are ordered and retention counts by them.
 */
function eventsOf(
  tenant: Tenant,
  { _id, visitorId, status, converted, startedAt, endedAt, identity }: ConversationDoc,
  conversion: OutboxEvent[],
  now: Date,
): OutboxEvent[] {
  const conversationId = _id.toHexString();
  const events = [newEvent(tenant, 'conversation.started', { conversationId, visitorId }, startedAt)];
  if (identity)
    events.push(newEvent(tenant, 'identity.resolved', { conversationId, ...identity }, startedAt));
  events.push(...conversion);
  if (isTerminal(status) && endedAt) {
    const data = { conversationId, status: status as 'ended', converted };
    events.push(newEvent(tenant, 'conversation.ended', data, endedAt));
  }
  return events.map((event) => ({ ...event, id: newObjectId(now) }));
}
