import { z } from 'zod';
import { MAX_BATCH, MAX_MESSAGE_TEXT } from '../../src/features/conversations/conversations.types.ts';
import { text } from '../../src/platform/text-validation.ts';
import { builder } from '../builder.ts';
import { HandoffUrgency, MessageRole } from './conversation.types.ts';

export const StartInput = builder.inputType('StartConversationInput', {
  description: 'A conversation to start.',
  fields: (t) => ({
    visitorId: t.string({
      required: true,
      validate: { schema: text() },
      description: 'Your identifier of the visitor.',
    }),
    goal: t.string({
      validate: { schema: text() },
      description: 'Goal that the conversation is intended to reach.',
    }),
    startedAt: t.field({
      type: 'DateTime',
      description:
        'Start time; now by default, and for a time up to a minute in the future. Later ones are refused.',
    }),
  }),
});

/** Validates the number of messages of one call. */
export const batch = z
  .array(z.any())
  .min(1, 'Must have at least one message.')
  .max(MAX_BATCH, `Must have at most ${MAX_BATCH} messages.`);

export const MessageInput = builder.inputType('MessageInput', {
  description: 'A message to append.',
  fields: (t) => ({
    role: t.field({ type: MessageRole, required: true, description: 'Author of the message.' }),
    text: t.string({
      required: true,
      validate: { schema: text({ max: MAX_MESSAGE_TEXT, multiline: true }) },
      description: 'Text of the message; at most 32,768 characters.',
    }),
    sentAt: t.field({ type: 'DateTime', description: 'Time of the message; now by default.' }),
  }),
});

const bounded = text();

export const IdentityInput = builder.inputType('IdentityInput', {
  description: 'Identity of a visitor.',
  fields: (t) => ({
    resolvedPersonId: t.string({
      required: true,
      validate: { schema: text() },
      description: 'Your identifier of the person.',
    }),
    company: t.string({ validate: { schema: bounded }, description: 'Company of the person.' }),
    firstName: t.string({ validate: { schema: bounded }, description: 'First name of the person.' }),
    lastName: t.string({ validate: { schema: bounded }, description: 'Last name of the person.' }),
    jobTitle: t.string({ validate: { schema: bounded }, description: 'Job title of the person.' }),
    email: t.string({ validate: { schema: bounded }, description: 'Email address of the person.' }),
  }),
});

export const ConversionInput = builder.inputType('ConversionInput', {
  description: 'A goal that the visitor reached.',
  fields: (t) => ({
    goal: t.string({ required: true, validate: { schema: text() }, description: 'Goal that was reached.' }),
    conversionType: t.string({
      validate: { schema: bounded },
      description: 'Type of the conversion; the goal by default.',
    }),
    value: t.float({
      validate: { schema: z.number() },
      description: 'Value of the conversion, in any unit that you choose.',
    }),
    closes: t.boolean({
      defaultValue: false,
      description: 'True to also move the conversation to `converted`.',
    }),
  }),
});

export const ResolutionInput = builder.inputType('ResolutionInput', {
  description: 'The person, the company, or both that a conversation is resolved to.',
  fields: (t) => ({
    resolvedPersonId: t.string({
      validate: { schema: bounded },
      description: 'Your identifier of the person.',
    }),
    resolvedCompany: t.string({ validate: { schema: bounded }, description: 'Company of the visitor.' }),
  }),
});

export const HandoffInput = builder.inputType('HandoffInput', {
  description: 'A request for a human operator to take over.',
  fields: (t) => ({
    schemaName: t.string({
      required: true,
      validate: { schema: text() },
      description: 'Handoff form that was submitted.',
    }),
    urgency: t.field({
      type: HandoffUrgency,
      required: true,
      description: 'Urgency of the handoff.',
    }),
    reason: t.string({
      validate: { schema: text({ multiline: true }) },
      description: 'Reason for the handoff.',
    }),
  }),
});
