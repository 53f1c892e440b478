import { Types } from 'mongoose';
import type { Models } from '../../src/database/models.ts';

const BATCH = 4_000;

/** Stores conversations of a visitor, each with one message and one handoff. */
export async function insertConversations(
  { Conversation, Message, ConversationMilestone }: Models,
  { customerId, visitorId, count }: { customerId: number; visitorId: string; count: number },
): Promise<void> {
  const of = { customerId };
  const at = new Date('2026-01-01T00:00:00Z');
  const message = { ...of, seq: 0, role: 'visitor', text: 'Hi', sentAt: at };
  const handoff = { ...of, kind: 'handoff', data: { schemaName: 'sales', urgency: 'high', reason: null } };
  const options = { ordered: false };
  for (let inserted = 0; inserted < count; inserted += BATCH) {
    const ids = Array.from({ length: Math.min(BATCH, count - inserted) }, () => new Types.ObjectId());
    const rows = (row: (conversationId: Types.ObjectId) => object) => ids.map(row) as never[];
    await Conversation.collection.insertMany(
      rows((_id) => ({
        ...{
          _id,
          ...of,
          visitorId,
          status: 'ended',
          converted: false,
          goal: null,
          startedAt: at,
          endedAt: at,
        },
        ...{ order: `${at.toISOString()}:${_id}`, messageCount: 1, textBytes: 4, identity: null },
        ...{ conversion: null, outcome: null, resolution: null },
      })),
      options,
    );
    await Message.collection.insertMany(
      rows((conversationId) => ({ ...message, conversationId })),
      options,
    );
    await ConversationMilestone.collection.insertMany(
      rows((conversationId) => ({ ...handoff, conversationId })),
      options,
    );
  }
}
