import { builder } from '../builder.ts';
import { withArgumentPaths } from '../error-paths.ts';
import { text } from '../text.ts';
import {
  batch,
  ConversionInput,
  HandoffInput,
  IdentityInput,
  MessageInput,
  ResolutionInput,
  StartInput,
} from './inputs.ts';
import { Conversation } from './types.ts';

const write = { write: true } as const;

builder.mutationFields((t) => {
  const conversationId = t.arg.id({ required: true, description: 'The conversation.' });
  return {
    startConversation: t.field({
      type: Conversation,
      description: 'Starts a conversation, which is `active`; told as `conversation.started`.',
      authScopes: write,
      args: { input: t.arg({ type: StartInput, required: true, description: 'The conversation.' }) },
      resolve: (_root, { input }, { tenant, services }) =>
        withArgumentPaths(services.moves.start(tenant(), input), { startedAt: 'input.startedAt' }),
    }),
    appendMessages: t.field({
      type: Conversation,
      description:
        'Adds up to 500 messages to the transcript, in the order given; a conversation has 10,000 at most. `CONFLICT` once it is over or full.',
      authScopes: write,
      args: {
        conversationId,
        messages: t.arg({
          type: [MessageInput],
          required: true,
          validate: batch,
          description: 'What was said, oldest first.',
        }),
      },
      resolve: (_root, args, { tenant, services }) =>
        services.moves.appendMessages(tenant(), args.conversationId, args.messages),
    }),
    resolveIdentity: t.field({
      type: Conversation,
      description: 'Says who the visitor is; told as `identity.resolved`. The same again changes nothing.',
      authScopes: write,
      args: {
        conversationId,
        identity: t.arg({ type: IdentityInput, required: true, description: 'Who it is.' }),
      },
      resolve: (_root, args, { tenant, services }) =>
        services.moves.resolveIdentity(tenant(), args.conversationId, args.identity),
    }),
    recordConversion: t.field({
      type: Conversation,
      description:
        'Records a conversion, in whatever status; told as `conversion.recorded`. With `closes` it also ends the conversation as `converted`, told as `conversation.ended`; repeated, that changes nothing.',
      authScopes: write,
      args: {
        conversationId,
        input: t.arg({ type: ConversionInput, required: true, description: 'The conversion.' }),
      },
      resolve: (_root, args, { tenant, services }) =>
        services.moves.recordConversion(tenant(), args.conversationId, args.input),
    }),
    recordResolution: t.field({
      type: Conversation,
      description:
        'Records whom the conversation was resolved to; told as `resolution.recorded`. The same as the last time changes nothing.',
      authScopes: write,
      args: {
        conversationId,
        input: t.arg({
          type: ResolutionInput,
          required: true,
          description: 'The person, the company, or both.',
        }),
      },
      resolve: (_root, args, { tenant, services }) =>
        services.moves.recordResolution(tenant(), args.conversationId, args.input),
    }),
    requestHandoff: t.field({
      type: Conversation,
      description:
        'Hands an `active` conversation to a person; told as `handoff.requested`. `CONFLICT` once it is over; repeated, it changes nothing.',
      authScopes: write,
      args: {
        conversationId,
        input: t.arg({ type: HandoffInput, required: true, description: 'What is asked for.' }),
      },
      resolve: (_root, args, { tenant, services }) =>
        services.moves.requestHandoff(tenant(), args.conversationId, args.input),
    }),
    endConversation: t.field({
      type: Conversation,
      description:
        'The visitor left, or it timed out: `ended`, told as `conversation.ended`. `CONFLICT` when it is over otherwise.',
      authScopes: write,
      args: { conversationId },
      resolve: (_root, args, { tenant, services }) => services.moves.end(tenant(), args.conversationId),
    }),
    closeConversation: t.field({
      type: Conversation,
      description:
        'An operator closes it: `closed`, told as `conversation.ended`, also after it has ended or converted.',
      authScopes: write,
      args: { conversationId },
      resolve: (_root, args, { tenant, services }) => services.moves.close(tenant(), args.conversationId),
    }),
    markOutcome: t.field({
      type: Conversation,
      description:
        'Grades the conversation, or clears the grade; told as `outcome.marked`. The same again changes nothing.',
      authScopes: write,
      args: {
        conversationId,
        category: t.arg.string({
          validate: { schema: text() },
          description: 'The ladder rung; null clears the grade.',
        }),
      },
      resolve: (_root, args, { tenant, services }) =>
        services.moves.markOutcome(tenant(), args.conversationId, args.category ?? null),
    }),
  };
});
