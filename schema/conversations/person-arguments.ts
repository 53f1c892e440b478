import { z } from 'zod';
import {
  type ConversationFilter,
  MAX_WORDS,
  wordsOf,
} from '../../src/features/conversations/conversation-filter.ts';
import { emailAddress, text } from '../../src/platform/text-validation.ts';
import { builder } from '../builder.ts';

const DESCRIPTIONS = {
  visitorId: 'Only conversations of this visitor.',
  email: 'Only conversations of the person with this email address, in upper or lower case.',
  resolvedPersonId: 'Only conversations whose identity or resolution has this person ID.',
  company: 'Only conversations whose identity or resolution has this company, in upper or lower case.',
  text: 'Only conversations with a message that contains all of these words, in upper or lower case; at most 10 words. The results keep the order of the list, the latest start first, and are not ranked. A page searches up to 5,000 conversations, 100,000 messages or 64 MiB of text, newest first, and ends there; search older ones in windows of `since` and `until`.',
} as const;

const identifier = { schema: text() };
const email = { schema: emailAddress };
const words = {
  schema: z
    .string()
    .trim()
    .pipe(text({ max: 200 }))
    .refine((value) => wordsOf(value).length <= MAX_WORDS, `Must have at most ${MAX_WORDS} words.`),
};

/** Arguments of a GraphQL list that select the conversations of a person. */
export const personArgs = () =>
  builder.args((t) => ({
    visitorId: t.string({ description: DESCRIPTIONS.visitorId, validate: identifier }),
    email: t.string({ description: DESCRIPTIONS.email, validate: email }),
    resolvedPersonId: t.string({ description: DESCRIPTIONS.resolvedPersonId, validate: identifier }),
    company: t.string({ description: DESCRIPTIONS.company, validate: identifier }),
    text: t.string({ description: DESCRIPTIONS.text, validate: words }),
  }));

/** Query parameters of the REST list, in its spelling. */
export const restPersonArgs = () =>
  builder.args((t) => ({
    visitor_id: t.string({ description: DESCRIPTIONS.visitorId, validate: identifier }),
    email: t.string({ description: DESCRIPTIONS.email, validate: email }),
    person_id: t.string({ description: DESCRIPTIONS.resolvedPersonId, validate: identifier }),
    company: t.string({ description: DESCRIPTIONS.company, validate: identifier }),
    text: t.string({ description: DESCRIPTIONS.text, validate: words }),
  }));

/** Returns the conditions of a list that are given. */
export const conversationFilter = (
  conditions: {
    [Name in keyof ConversationFilter]?: ConversationFilter[Name] | null | undefined;
  },
): ConversationFilter => Object.fromEntries(Object.entries(conditions).filter(([, value]) => value != null));
