import { builder } from '../builder.ts';
import {
  connectionArgs,
  connectionCost,
  connectionRequest,
  connectionType,
  toConnection,
} from '../paging.ts';
import { Conversation, ConversationStatus } from './types.ts';

const ConversationConnection = connectionType('Conversation', Conversation, { rows: 'conversations' });

builder.queryFields((t) => ({
  conversations: t.field({
    type: ConversationConnection,
    description: "The tenant's conversations, newest first.",
    authScopes: { read: true },
    args: {
      ...connectionArgs(),
      converted: t.arg.boolean({
        description: 'Only those in which a conversion was recorded, or only the others.',
      }),
      status: t.arg({ type: ConversationStatus, description: 'Only those that stand there.' }),
      since: t.arg({ type: 'DateTime', description: 'Only those that started at or after.' }),
    },
    complexity: connectionCost,
    resolve: (_root, { converted, status, since, ...page }, { tenant, services }) =>
      toConnection(
        services.conversations.list(
          tenant(),
          { converted: converted ?? undefined, status: status ?? undefined, since: since ?? undefined },
          connectionRequest(page),
        ),
        page,
      ),
  }),
  conversation: t.field({
    type: Conversation,
    nullable: true,
    description: 'One conversation; null when the tenant has none of that id.',
    authScopes: { read: true },
    args: { id: t.arg.id({ required: true, description: 'Its identifier.' }) },
    resolve: (_root, { id }, { tenant, services }) => services.conversations.find(tenant(), id),
  }),
}));
