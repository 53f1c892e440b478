import type { ConversationDoc } from './conversations.model.ts';

/** Most messages and bytes of text that are read together, which bounds the memory; one conversation may exceed them. */
const MAX_READ = { messages: 5_000, textBytes: 4 * 1024 * 1024 };

/** Splits conversations into groups whose messages are read together. */
export function* readGroups(found: readonly ConversationDoc[]): Generator<ConversationDoc[]> {
  let group: ConversationDoc[] = [];
  let messages = 0;
  let textBytes = 0;
  for (const conversation of found) {
    messages += conversation.messageCount;
    textBytes += conversation.textBytes;
    if (group.length > 0 && (messages > MAX_READ.messages || textBytes > MAX_READ.textBytes)) {
      yield group;
      group = [];
      ({ messageCount: messages, textBytes } = conversation);
    }
    group.push(conversation);
  }
  if (group.length > 0) yield group;
}
