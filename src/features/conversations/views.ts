import type { ConversationDoc, MessageDoc, RecordDoc } from './conversations.model.ts';
import type { Conversation, Message } from './conversations.types.ts';

/** A conversation as clients see it. */
export const toConversation = (doc: ConversationDoc): Conversation => ({
  id: doc._id.toHexString(),
  visitorId: doc.visitorId,
  status: doc.status,
  converted: doc.converted,
  goal: doc.goal,
  startedAt: doc.startedAt,
  endedAt: doc.endedAt,
  messageCount: doc.messageCount,
  identity: doc.identity,
  conversion: doc.conversion,
  outcome: doc.outcome,
});

export const toMessage = ({ _id, role, text, sentAt }: MessageDoc): Message => ({
  id: _id.toHexString(),
  role,
  text,
  sentAt,
});

/** A conversion, resolution or hand-off with its id. */
export const toRecord = <D extends RecordDoc>({ _id, data }: D): D['data'] & { id: string } => ({
  id: _id.toHexString(),
  ...data,
});
