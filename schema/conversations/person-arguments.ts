import { z } from 'zod';
import type { ConversationFilter } from '../../src/features/conversations/conversation-filter.ts';
import { text } from '../../src/platform/text-validation.ts';
import { builder } from '../builder.ts';

const DESCRIPTIONS = {
  visitorId: 'Only conversations of this visitor.',
  email: 'Only conversations of the person with this email address, in upper or lower case.',
  resolvedPersonId: 'Only conversations whose identity or resolution has this person ID.',
  company: 'Only conversations whose identity or resolution has this company, in upper or lower case.',
  text: 'Only conversations with a message that contains all of these words, in upper or lower case. A page searches up to 5,000 conversations; narrow the list with `since` or other filters to find older ones.',
} as const;

const identifier = { schema: text() };
const email = { schema: z.email('Must be an email address.').max(500) };
const words = {
  schema: z
    .string()
    .trim()
    .pipe(text({ max: 200 })),
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
