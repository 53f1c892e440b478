import { text } from '../../src/platform/text-validation.ts';
import { builder } from '../builder.ts';
import { COMMITS_ONCE } from '../commits-once.ts';
import { withArgumentPaths } from '../error-paths.ts';
import {
  batch,
  ConversionInput,
  HandoffInput,
  IdentityInput,
  MessageInput,
  ResolutionInput,
  StartInput,
} from './conversation.inputs.ts';
import { Conversation } from './conversation.types.ts';

/** Access and idempotency of every move. */
const write = { scope: 'write', resource: 'conversations', extensions: COMMITS_ONCE } as const;

builder.mutationFields((t) => {
  const conversationId = t.arg.id({ required: true, description: 'Identifier of the conversation.' });
  return {
    startConversation: t.field({
      type: Conversation,
      description: 'Starts a conversation with status `active` and emits `conversation.started`.',
      ...write,
      args: { input: t.arg({ type: StartInput, required: true, description: 'The conversation to start.' }) },
      resolve: (_root, { input }, { tenant, services, idempotency }) =>
        withArgumentPaths(services.moves.start(tenant(), input, { idempotency }), {
          startedAt: 'input.startedAt',
        }),
    }),
    appendMessages: t.field({
      type: Conversation,
      description:
        'Appends up to 500 messages to the transcript, in the given order; a conversation holds at most 10,000 with 4 MiB of text. `CONFLICT` if the conversation is full or its status is terminal.',
      ...write,
      args: {
        conversationId,
        messages: t.arg({
          type: [MessageInput],
          required: true,
          validate: { schema: batch },
          description: 'Messages, oldest first.',
        }),
      },
      resolve: (_root, args, { tenant, services, idempotency }) =>
        services.moves.appendMessages(tenant(), args.conversationId, args.messages, { idempotency }),
    }),
    resolveIdentity: t.field({
      type: Conversation,
      description:
        'Sets the identity of the visitor and emits `identity.resolved`. Setting the same identity again changes nothing.',
      ...write,
      args: {
        conversationId,
        identity: t.arg({ type: IdentityInput, required: true, description: 'Identity of the visitor.' }),
      },
      resolve: (_root, args, { tenant, services, idempotency }) =>
        services.moves.resolveIdentity(tenant(), args.conversationId, args.identity, { idempotency }),
    }),
    recordConversion: t.field({
      type: Conversation,
      description:
        'Records a conversion in any status and emits `conversion.recorded`. With `closes`, it also moves the conversation to `converted` and emits `conversation.ended`; repeating that changes nothing.',
      ...write,
      args: {
        conversationId,
        input: t.arg({ type: ConversionInput, required: true, description: 'The conversion to record.' }),
      },
      resolve: (_root, args, { tenant, services, idempotency }) =>
        services.moves.recordConversion(tenant(), args.conversationId, args.input, { idempotency }),
    }),
    recordResolution: t.field({
      type: Conversation,
      description:
        'Records the person or company that the conversation is resolved to and emits `resolution.recorded`. Repeating the latest resolution changes nothing.',
      ...write,
      args: {
        conversationId,
        input: t.arg({
          type: ResolutionInput,
          required: true,
          description: 'The person, the company, or both.',
        }),
      },
      resolve: (_root, args, { tenant, services, idempotency }) =>
        services.moves.recordResolution(tenant(), args.conversationId, args.input, { idempotency }),
    }),
    requestHandoff: t.field({
      type: Conversation,
      description:
        'Hands an `active` conversation off to a human operator and emits `handoff.requested`. `CONFLICT` if the status is terminal; repeating it changes nothing.',
      ...write,
      args: {
        conversationId,
        input: t.arg({ type: HandoffInput, required: true, description: 'The handoff to request.' }),
      },
      resolve: (_root, args, { tenant, services, idempotency }) =>
        services.moves.requestHandoff(tenant(), args.conversationId, args.input, { idempotency }),
    }),
    endConversation: t.field({
      type: Conversation,
      description:
        'Moves the conversation to `ended` because the visitor left or it timed out, and emits `conversation.ended`. `CONFLICT` if it is `converted` or `closed`; repeating it changes nothing.',
      ...write,
      args: { conversationId },
      resolve: (_root, args, { tenant, services, idempotency }) =>
        services.moves.end(tenant(), args.conversationId, { idempotency }),
    }),
    closeConversation: t.field({
      type: Conversation,
      description:
        'Moves the conversation to `closed` for an operator and emits `conversation.ended`, also if it is `ended` or `converted`. Repeating it changes nothing.',
      ...write,
      args: { conversationId },
      resolve: (_root, args, { tenant, services, idempotency }) =>
        services.moves.close(tenant(), args.conversationId, { idempotency }),
    }),
    markOutcome: t.field({
      type: Conversation,
      description:
        'Grades the conversation or clears the grade, and emits `outcome.marked`. Repeating it changes nothing.',
      ...write,
      args: {
        conversationId,
        category: t.arg.string({
          validate: { schema: text() },
          description: 'Ladder rung; null clears the grade.',
        }),
      },
      resolve: (_root, args, { tenant, services, idempotency }) =>
        services.moves.markOutcome(
          tenant(),
          args.conversationId,
          { category: args.category ?? null },
          { idempotency },
        ),
    }),
  };
});
