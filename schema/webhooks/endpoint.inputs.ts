import { z } from 'zod';
import { text } from '../../src/platform/validation.ts';
import { builder } from '../builder.ts';
import { eventName } from './event-types.ts';

const url = text({ max: 2048 });
const description = text({ allowEmpty: true }).nullish();
const events = z
  .array(eventName)
  .min(1, 'Must name at least one event; null or nothing means all of them.')
  .refine((names) => new Set(names).size === names.length, 'Must name each event once.')
  .nullish();

// The input types validate by these; resolvers parse by them again for the narrower type, `EventName[]` for one.
export const createInput = z.object({ url, description, events });
export const updateInput = z.object({
  url: url.optional(),
  description,
  events,
  enabled: z.boolean().optional(),
});

export const CreateInput = builder.inputType('CreateWebhookEndpointInput', {
  subGraphs: ['graphql', 'v1'],
  description: 'A webhook endpoint to create.',
  validate: { schema: createInput },
  fields: (t) => ({
    url: t.string({
      required: true,
      description:
        'Address to post deliveries to: `https:`, no credentials in it, no private or local target; 2,048 characters at most.',
    }),
    description: t.string({ description: 'What to call it; 500 characters at most.' }),
    events: t.stringList({
      description: 'Names of the events that it receives, each once; null or nothing: all of them.',
    }),
  }),
});

export const UpdateInput = builder.inputType('UpdateWebhookEndpointInput', {
  subGraphs: ['graphql', 'v1'],
  description: 'What to change of a webhook endpoint; a field that is left out stays as it is.',
  validate: { schema: updateInput },
  fields: (t) => ({
    url: t.string({ description: 'New address, by the same rules as at creation.' }),
    description: t.string({ description: 'New description; null removes it.' }),
    events: t.stringList({
      description: 'Names of the events that it receives from now on; null: all of them again.',
    }),
    enabled: t.boolean({
      description:
        'False stops deliveries and cancels those that wait; true starts afresh and clears the reason and its counters.',
    }),
  }),
});
