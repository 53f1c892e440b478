import { z } from 'zod';
import { customProperties } from '../../src/platform/custom-properties.ts';
import { isObject } from '../../src/platform/is-object.ts';
import { text } from '../../src/platform/text-validation.ts';
import { builder } from '../builder.ts';
import { COMMITS_ONCE } from '../commits-once.ts';
import { withArgumentPaths } from '../error-paths.ts';
import { restField } from '../rest-route.ts';
import { EVENT_EXAMPLE, Event, eventType, PreviewEvent } from './event.types.ts';

const eventShape = {
  type: eventType,
  goal: text().nullish(),
  value: z.number().nullish(),
  properties: customProperties.nullish(),
};
const goalIsRequired = {
  path: ['goal'],
  error: 'Is required for a conversion.',
  // Reported together with the issues of other fields.
  when: ({ value }: { value: unknown }) => isObject(value),
};
/** `goalIsRequired` as JSON Schema, which cannot be derived from a refinement. */
const goalSchema = {
  if: { properties: { type: { const: 'conversion' } }, required: ['type'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: { properties: { goal: { type: 'string' } }, required: ['goal'], unevaluatedProperties: true },
};
const hasGoal = ({ type, goal }: { type: string; goal?: string | null }) =>
  type !== 'conversion' || goal != null;

const recordInput = z
  .object({
    ...eventShape,
    visitorId: text(),
    conversationId: text().nullish(),
    occurredAt: z.date().nullish(),
  })
  .refine(hasGoal, goalIsRequired);
const createArgs = z
  .object({
    ...eventShape,
    visitor_id: text(),
    conversation_id: text().nullish(),
    occurred_at: z.date().nullish(),
  })
  .refine(hasGoal, goalIsRequired)
  .meta(goalSchema);

const DESCRIPTION =
  'Records an event. A conversion also marks its conversation as converted and emits `conversion.recorded`.';

/** Descriptions of inputs, shared by the camelCase and the snake_case spelling. */
const INPUT = {
  type: '`conversion` or a custom type: a lower-case letter and up to 63 more of a-z, 0-9, _ . : -',
  goal: 'Goal that was reached; required for a conversion, whose `conversionType` it is.',
  visitor: "Visitor who caused the event, in the customer's own IDs; at most 500 characters.",
  conversation:
    "Conversation that the event belongs to; default for a conversion: the visitor's newest conversation, if there is one.",
  value: "Value of the event, in the customer's own unit.",
  occurredAt: 'Time of the event; default: now.',
  properties: 'Custom properties; at most 16 KiB of JSON and five levels.',
};

const RecordEventInput = builder.inputType('RecordEventInput', {
  description: 'An event that a visitor caused.',
  validate: { schema: recordInput },
  fields: (t) => ({
    type: t.string({ required: true, description: INPUT.type }),
    visitorId: t.string({ required: true, description: INPUT.visitor }),
    goal: t.string({ description: INPUT.goal }),
    conversationId: t.id({ description: INPUT.conversation }),
    value: t.float({ description: INPUT.value }),
    occurredAt: t.field({ type: 'DateTime', description: INPUT.occurredAt }),
    properties: t.field({ type: 'JSON', description: INPUT.properties }),
  }),
});

builder.mutationFields((t) => ({
  recordEvent: t.field({
    type: PreviewEvent,
    description: DESCRIPTION,
    scope: 'write',
    resource: 'events',
    extensions: COMMITS_ONCE,
    args: { input: t.arg({ type: RecordEventInput, required: true, description: 'The event.' }) },
    resolve: (_root, { input }, { services, tenant, idempotency }) =>
      withArgumentPaths(services.previewEvents.record(tenant(), input, { idempotency }), {
        conversationId: 'input.conversationId',
      }),
  }),
  createEvent: t.field({
    ...restField({
      mount: 'preview',
      method: 'POST',
      path: '/events',
      responseStatus: 201,
      scope: 'write',
      resource: 'events',
      tag: 'Events',
      summary: 'Record an event',
      commitsOnce: true,
      example: {
        body: {
          type: 'conversion',
          visitor_id: 'v_8f3a',
          goal: 'demo_booked',
          value: 250,
          properties: { plan: 'team' },
        },
        response: EVENT_EXAMPLE,
      },
    }),
    type: Event,
    description: DESCRIPTION,
    args: {
      type: t.arg.string({ required: true, description: INPUT.type }),
      visitor_id: t.arg.string({ required: true, description: INPUT.visitor }),
      goal: t.arg.string({ description: INPUT.goal }),
      conversation_id: t.arg.id({ description: INPUT.conversation }),
      value: t.arg.float({ description: INPUT.value }),
      occurred_at: t.arg({ type: 'DateTime', description: INPUT.occurredAt }),
      properties: t.arg({ type: 'JSON', description: INPUT.properties }),
    },
    validate: { schema: createArgs },
    resolve: (
      _root,
      { visitor_id, conversation_id, occurred_at, ...input },
      { services, tenant, idempotency },
    ) =>
      withArgumentPaths(
        services.previewEvents.record(
          tenant(),
          { ...input, visitorId: visitor_id, conversationId: conversation_id, occurredAt: occurred_at },
          { idempotency },
        ),
        { conversationId: 'conversation_id' },
      ),
  }),
}));
