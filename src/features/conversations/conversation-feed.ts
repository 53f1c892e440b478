import type { Changes } from '../../platform/mongo/change-stream.ts';
import { type Feed, type FeedPosition, tenantFeed } from '../tenants/tenant-feed.ts';
import type { Principal, Tenant } from '../tenants/tenants.types.ts';
import { type ConversationDoc, toConversation } from './conversations.model.ts';
import type { Conversation } from './conversations.types.ts';

/** Publishes changes of conversations, of every process, to subscribers; none of them reads the database. */
export function createConversationFeed(changes: Changes) {
  return {
    /** @param options.id the only conversation whose changes are published; undefined: all of the tenant */
    subscribe(
      principal: Principal,
      tenant: Tenant,
      { id, ...position }: FeedPosition & { id: string | undefined },
    ): Promise<Feed<Conversation>> {
      return tenantFeed<ConversationDoc, Conversation>(changes, {
        collection: 'conversations',
        principal,
        tenant,
        convert(document) {
          const conversation = toConversation(document);
          return id === undefined || conversation.id === id ? conversation : null;
        },
        ...position,
      });
    },
  };
}

export type ConversationFeed = ReturnType<typeof createConversationFeed>;
