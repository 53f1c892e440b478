import { z } from 'zod';
import type { RecordEventInput as EventInput } from '../src/features/events/events.service.ts';
import type { PreviewEvent as EventShape } from '../src/features/events/events.types.ts';
import { text } from '../src/platform/text-validation.ts';
import { builder } from './builder.ts';
import type { GraphQLContext } from './context.ts';
import { withArgumentPaths } from './error-paths.ts';
import { restField } from './rest-route.ts';

const MAX_PROPERTIES_BYTES = 16 * 1024;
const MAX_PROPERTIES_DEPTH = 5;

/** Returns true if no object or array is nested deeper than `levels`; the value itself is the first level. */
const isShallow = (value: unknown, levels = MAX_PROPERTIES_DEPTH): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((member) => isShallow(member, levels - 1)));

/** Returns true if all numbers are finite; a literal such as 1e999 is not. */
const isFiniteJson = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).every(isFiniteJson)
    : typeof value !== 'number' || Number.isFinite(value);

/** The depth is checked first: a value that is nested too deeply is not traversed or serialized. */
const properties = z
  .custom<Record<string, unknown>>((value) => isShallow(value), {
    error: `Must be nested at most ${MAX_PROPERTIES_DEPTH} levels deep.`,
    abort: true,
  })
  .refine(isFiniteJson, 'Must not contain numbers out of range.')
  .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_PROPERTIES_BYTES, {
    error: `Must be at most ${MAX_PROPERTIES_BYTES} bytes of JSON.`,
  });

const eventShape = {
  type: z
    .string()
    .regex(/^[a-z][a-z0-9_.:-]{0,63}$/, 'Must be a lower-case letter and up to 63 more of a-z, 0-9, _ . : -'),
  goal: text().nullish(),
  value: z.number().nullish(),
  properties: properties.nullish(),
};
const goalIsRequired = { path: ['goal'], error: 'Is required for a conversion.' };
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

/** Descriptions of outputs, shared by the camelCase and the snake_case spelling. */
const OUTPUT = {
  id: 'ID of the event; for a conversion also the `conversionEventId` of its webhook.',
  type: '`conversion` or a custom type.',
  goal: 'Goal that was reached; null if none was given.',
  visitor: 'Visitor who caused the event.',
  conversation: 'Conversation that the event belongs to; null if none.',
  value: "Value of the event, in the customer's own unit; null if none was given.",
  occurredAt: 'Time of the event.',
  createdAt: 'Time at which the event was accepted.',
};

const PreviewEvent = builder.objectRef<EventShape>('PreviewEvent').implement({
  description: 'An accepted event.',
  fields: (t) => ({
    id: t.exposeID('id', { description: OUTPUT.id }),
    type: t.exposeString('type', { description: OUTPUT.type }),
    goal: t.exposeString('goal', { nullable: true, description: OUTPUT.goal }),
    visitorId: t.exposeString('visitorId', { description: OUTPUT.visitor }),
    conversationId: t.exposeID('conversationId', { nullable: true, description: OUTPUT.conversation }),
    value: t.exposeFloat('value', { nullable: true, description: OUTPUT.value }),
    occurredAt: t.expose('occurredAt', { type: 'DateTime', description: OUTPUT.occurredAt }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: OUTPUT.createdAt }),
  }),
});

const Event = builder.objectRef<EventShape>('Event').implement({
  subGraphs: ['preview'],
  description: 'An accepted event.',
  fields: (t) => ({
    id: t.exposeID('id', { description: OUTPUT.id }),
    type: t.exposeString('type', { description: OUTPUT.type }),
    goal: t.exposeString('goal', { nullable: true, description: OUTPUT.goal }),
    visitor_id: t.exposeString('visitorId', { description: OUTPUT.visitor }),
    conversation_id: t.exposeID('conversationId', { nullable: true, description: OUTPUT.conversation }),
    value: t.exposeFloat('value', { nullable: true, description: OUTPUT.value }),
    occurred_at: t.expose('occurredAt', { type: 'DateTime', description: OUTPUT.occurredAt }),
    created_at: t.expose('createdAt', { type: 'DateTime', description: OUTPUT.createdAt }),
  }),
});

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

/** Records an event, and marks the response if an earlier request had the same `Idempotency-Key`. */
async function record(
  { services, tenant, idempotencyKey, responseHeaders }: GraphQLContext,
  input: EventInput,
) {
  const { event, replayed } = await services.events.record(tenant(), input, {
    idempotencyKey: idempotencyKey ?? undefined,
  });
  if (replayed) responseHeaders['Idempotent-Replayed'] = 'true';
  return event;
}

builder.mutationFields((t) => ({
  recordEvent: t.field({
    type: PreviewEvent,
    description: DESCRIPTION,
    authScopes: { write: true },
    args: { input: t.arg({ type: RecordEventInput, required: true, description: 'The event.' }) },
    resolve: (_root, { input }, context) =>
      withArgumentPaths(record(context, input), { conversationId: 'input.conversationId' }),
  }),
  createEvent: t.field({
    ...restField({
      mount: 'preview',
      method: 'POST',
      path: '/events',
      responseStatus: 201,
      scope: 'write',
      tag: 'Events',
      summary: 'Record an event',
      errors: { CONFLICT: 'The `Idempotency-Key` was used with another body.' },
      example: {
        body: {
          type: 'conversion',
          visitor_id: 'v_8f3a',
          goal: 'demo_booked',
          value: 250,
          properties: { plan: 'team' },
        },
        response: {
          id: '665f1c9db8e4d3a1f0c9b801',
          type: 'conversion',
          goal: 'demo_booked',
          visitor_id: 'v_8f3a',
          conversation_id: '665f1c2ab8e4d3a1f0c9b7e6',
          value: 250,
          occurred_at: '2026-01-31T09:30:00.000Z',
          created_at: '2026-01-31T09:30:00.000Z',
        },
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
    resolve: (_root, { visitor_id, conversation_id, occurred_at, ...input }, context) =>
      withArgumentPaths(
        record(context, {
          ...input,
          visitorId: visitor_id,
          conversationId: conversation_id,
          occurredAt: occurred_at,
        }),
        { conversationId: 'conversation_id' },
      ),
  }),
}));
