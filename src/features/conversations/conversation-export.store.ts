import type { Model, mongo } from 'mongoose';
import { rawCollection } from '../../platform/mongo/raw-collection.ts';
import { scanWindow } from '../../platform/mongo/scan-window.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import type { ConversationDoc, MessageDoc } from './conversations.model.ts';
import { readGroups } from './read-groups.ts';

interface Models {
  Conversation: Model<ConversationDoc>;
  Message: Model<MessageDoc>;
}

const WINDOW = 500;

/** Converts a conversation; without the ids of its messages, because an import into the same database needs others. */
const toLine = (
  {
    _id,
    importId,
    visitorId,
    status,
    converted,
    goal,
    startedAt,
    endedAt,
    identity,
    conversion,
  }: ConversationDoc,
  messages: readonly MessageDoc[],
) => ({
  id: importId ?? _id.toHexString(),
  visitor_id: visitorId,
  status,
  converted,
  goal,
  started_at: startedAt,
  ended_at: endedAt,
  transcript: messages.map(({ role, text, sentAt }) => ({ role, text, sent_at: sentAt })),
  identity: identity && {
    person_id: identity.resolvedPersonId,
    email: identity.email,
    first_name: identity.firstName,
    last_name: identity.lastName,
    company: identity.company,
    job_title: identity.jobTitle,
  },
  conversion: conversion && {
    type: conversion.type,
    goal: conversion.goal,
    value: conversion.value,
    recorded_at: conversion.recordedAt,
  },
});

/** Reads all conversations of a tenant in the format of an import, by their start, without holding many in memory. */
export function conversationExport({ Conversation, Message }: Models) {
  const conversations = rawCollection(Conversation) as unknown as mongo.Collection;

  return {
    async *lines({ customerId }: Pick<Tenant, 'customerId'>): AsyncGenerator<ReturnType<typeof toLine>> {
      let after: unknown = null;
      do {
        const { found, next } = await scanWindow<ConversationDoc>(conversations, {
          of: { customerId },
          by: 'order',
          hint: { customerId: 1, order: -1 },
          after,
          size: WINDOW,
          match: {},
          projection: {},
        });
        after = next;
        for (const group of readGroups(found.toSorted((a, b) => (a.order < b.order ? -1 : 1)))) {
          const messages = await Message.find({
            customerId,
            conversationId: { $in: group.map(({ _id }) => _id) },
          })
            .sort({ conversationId: 1, seq: 1 })
            .lean<MessageDoc[]>();
          const of = Map.groupBy(messages, ({ conversationId }) => conversationId.toHexString());
          for (const conversation of group)
            yield toLine(conversation, of.get(conversation._id.toHexString()) ?? []);
        }
      } while (after !== null);
    },
  };
}

export type ConversationExport = ReturnType<typeof conversationExport>;
