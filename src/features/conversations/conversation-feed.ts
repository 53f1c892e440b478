import type { Changes } from '../../platform/mongo/change-stream.ts';
import { type Feed, type FeedPosition, tenantFeed } from '../tenants/tenant-feed.ts';
import type { Principal, Tenant } from '../tenants/tenants.types.ts';
import { type ConversationDoc, toConversation } from './conversations.model.ts';
import type { ConversationStore } from './conversations.store.ts';
import type { Conversation } from './conversations.types.ts';

/** Publishes the changes of conversations in all processes. Subscribers share one change stream. */
export function createConversationFeed(changes: Changes, { decrypt }: Pick<ConversationStore, 'decrypt'>) {
  return {
    /** @param options.id publishes only this conversation's changes; undefined for all of the tenant's */
    subscribe(
      principal: Principal,
      tenant: Tenant,
      { id, ...position }: FeedPosition & { id: string | undefined },
    ): Promise<Feed<Conversation>> {
      return tenantFeed<ConversationDoc, Conversation>(changes, {
        collection: 'conversations',
        principal,
        tenant,
        async convert(document) {
          if (id !== undefined && document._id.toHexString() !== id) return null;
          const conversation = await decrypt(document);
          return conversation && toConversation(conversation);
        },
        ...position,
      });
    },
  };
}

export type ConversationFeed = ReturnType<typeof createConversationFeed>;
