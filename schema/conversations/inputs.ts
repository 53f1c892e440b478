import { MAX_BATCH } from '../../src/features/conversations/moves.service.ts';
import { text } from '../../src/platform/validation.ts';
import { builder } from '../builder.ts';
import { HandoffUrgency, MessageRole } from './types.ts';

/** Characters that one message may have (contract 4). */
const MAX_TEXT = 32_768;

export const StartInput = builder.inputType('StartConversationInput', {
  description: 'A conversation to start.',
  fields: (t) => ({
    visitorId: t.string({
      required: true,
      validate: { schema: text() },
      description: 'The visitor, in an id of your own.',
    }),
    goal: t.string({ validate: { schema: text() }, description: 'What it is meant to reach.' }),
    startedAt: t.field({
      type: 'DateTime',
      description: 'When it started, not in the future; without it, now.',
    }),
  }),
});

/** Bounds of one call's messages. */
export const batch = {
  minLength: [1, { message: 'Must be at least one message.' }],
  maxLength: [MAX_BATCH, { message: `Must be at most ${MAX_BATCH} messages at a time.` }],
} satisfies { minLength: [number, object]; maxLength: [number, object] };

export const MessageInput = builder.inputType('MessageInput', {
  description: 'A message to append.',
  fields: (t) => ({
    role: t.field({ type: MessageRole, required: true, description: 'Who said it.' }),
    text: t.string({
      required: true,
      validate: { schema: text({ max: MAX_TEXT }) },
      description: 'What was said; 32,768 characters at most.',
    }),
    sentAt: t.field({ type: 'DateTime', description: 'When it was said; without it, now.' }),
  }),
});

const bounded = text();

export const IdentityInput = builder.inputType('IdentityInput', {
  description: 'Who a visitor is.',
  fields: (t) => ({
    resolvedPersonId: t.string({
      required: true,
      validate: { schema: text() },
      description: 'The person, in an id of your own.',
    }),
    company: t.string({ validate: { schema: bounded }, description: 'Company of the person.' }),
    firstName: t.string({ validate: { schema: bounded }, description: 'First name of the person.' }),
    lastName: t.string({ validate: { schema: bounded }, description: 'Last name of the person.' }),
    jobTitle: t.string({ validate: { schema: bounded }, description: 'Job title of the person.' }),
    email: t.string({ validate: { schema: bounded }, description: 'E-mail address of the person.' }),
  }),
});

export const ConversionInput = builder.inputType('ConversionInput', {
  description: 'A goal that the visitor has reached.',
  fields: (t) => ({
    goal: t.string({ required: true, validate: { schema: text() }, description: 'What was reached.' }),
    conversionType: t.string({
      validate: { schema: bounded },
      description: 'What kind it is; without it, the goal.',
    }),
    value: t.float({ description: 'What it is worth, in a unit of your own.' }),
    closes: t.boolean({
      defaultValue: false,
      description: 'Whether it also ends the conversation, as `converted`.',
    }),
  }),
});

export const ResolutionInput = builder.inputType('ResolutionInput', {
  description: 'Whom a conversation was resolved to: a person, a company, or both.',
  fields: (t) => ({
    resolvedPersonId: t.string({
      validate: { schema: bounded },
      description: 'The person, in an id of your own.',
    }),
    resolvedCompany: t.string({ validate: { schema: bounded }, description: 'The company.' }),
  }),
});

export const HandoffInput = builder.inputType('HandoffInput', {
  description: 'A request for a person to take over.',
  fields: (t) => ({
    schemaName: t.string({
      required: true,
      validate: { schema: text() },
      description: 'The hand-off form that was filled in.',
    }),
    urgency: t.field({
      type: HandoffUrgency,
      required: true,
      description: 'How soon somebody should answer.',
    }),
    reason: t.string({ validate: { schema: bounded }, description: 'Why it is handed over.' }),
  }),
});
