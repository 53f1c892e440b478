import { text } from '../../src/platform/text-validation.ts';
import { builder } from '../builder.ts';
import {
  connectionArgs,
  connectionCost,
  connectionRequest,
  connectionType,
  SEARCH_COST,
  toConnection,
} from '../paging.ts';
import { emitted } from '../subscription-events.ts';
import { Conversation, ConversationStatus, ConversationUpdate } from './conversation.types.ts';
import { conversationFilter, personArgs } from './person-arguments.ts';

const ConversationConnection = connectionType('Conversation', Conversation, { rows: 'conversations' });

builder.queryFields((t) => ({
  conversations: t.field({
    type: ConversationConnection,
    description: 'Conversations, latest start first.',
    scope: 'read',
    resource: 'conversations',
    args: {
      ...connectionArgs(),
      ...personArgs(),
      converted: t.arg.boolean({
        description: 'Only conversations with (true) or without (false) a conversion.',
      }),
      status: t.arg({ type: ConversationStatus, description: 'Only conversations with this status.' }),
      since: t.arg({
        type: 'DateTime',
        description: 'Only conversations that started at or after this time.',
      }),
      until: t.arg({
        type: 'DateTime',
        description: 'Only conversations that started before this time.',
      }),
      importId: t.arg.string({
        validate: { schema: text() },
        description: 'Only the conversation that was imported under this ID, which is the `id` of its line.',
      }),
    },
    // A search of messages is a large read, of which a customer executes one at a time.
    complexity: ({ first, text }) => ({
      ...connectionCost({ first }),
      field: text == null ? 1 : SEARCH_COST,
    }),
    resolve: (_root, { first, after, ...filter }, { tenant, services }) =>
      toConnection(
        services.conversations.list(
          tenant(),
          conversationFilter(filter),
          connectionRequest({ first, after }),
        ),
        { after },
      ),
  }),
  conversation: t.field({
    type: Conversation,
    nullable: true,
    description: 'A conversation; null if it does not exist.',
    scope: 'read',
    resource: 'conversations',
    args: { id: t.arg.id({ required: true, description: 'Identifier of the conversation.' }) },
    resolve: (_root, { id }, { tenant, services }) => services.conversations.find(tenant(), id),
  }),
}));

builder.subscriptionField('conversationUpdated', (t) =>
  t.field({
    type: ConversationUpdate,
    description:
      "Every change of the customer's conversations from now on, in any process: a start, an import, new messages, a status, an identity, a conversion, a resolution and an outcome.",
    scope: 'read',
    resource: 'conversations',
    args: {
      id: t.arg.id({
        description: 'Only changes of this conversation; none are published if it does not exist.',
      }),
    },
    subscribe: (_root, { id }, { principal, tenant, services, signal, subscription }) =>
      services.conversationFeed.subscribe(principal, tenant(), {
        id: id ?? undefined,
        after: subscription.lastEventId,
        signal,
      }),
    resolve: (event, _args, context) => emitted(event, context),
  }),
);
