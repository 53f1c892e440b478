import { z } from 'zod';
import type { RecordEventInput as EventInput } from '../src/features/events/events.service.ts';
import type { PreviewEvent as EventShape } from '../src/features/events/events.types.ts';
import { builder, rest } from './builder.ts';
import type { GraphQLContext } from './context.ts';
import { named } from './naming.ts';
import { text } from './text.ts';

const MAX_PROPERTIES_BYTES = 16 * 1024;
const MAX_PROPERTIES_DEPTH = 5;

/** Whether an object holds no object or array deeper than `levels`, itself being the first. */
const isShallow = (value: unknown, levels = MAX_PROPERTIES_DEPTH): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((member) => isShallow(member, levels - 1)));

/** Bounds come before everything else: what is too deep is not looked at any further. */
const properties = z
  .custom<Record<string, unknown>>((value) => isShallow(value), {
    error: `Must be nested at most ${MAX_PROPERTIES_DEPTH} levels deep.`,
    abort: true,
  })
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
const needsGoal = { path: ['goal'], error: 'Is required for a conversion.' };
const hasGoal = ({ type, goal }: { type: string; goal?: string | null }) =>
  type !== 'conversion' || goal != null;

const recordInput = z
  .object({
    ...eventShape,
    visitorId: text(),
    conversationId: text().nullish(),
    occurredAt: z.date().nullish(),
  })
  .refine(hasGoal, needsGoal);
const createArgs = z
  .object({
    ...eventShape,
    visitor_id: text(),
    conversation_id: text().nullish(),
    occurred_at: z.date().nullish(),
  })
  .refine(hasGoal, needsGoal);

/** Descriptions that both spellings share. */
const MEANING = {
  type: '`conversion`, or a name of your own: a lower-case letter and up to 63 more of a-z, 0-9, _ . : -',
  goal: 'What was reached; required for a conversion, and its `conversionType`.',
  visitor: 'The visitor who did it; 500 characters at most.',
  conversation:
    "The conversation that it belongs to; without it a conversion belongs to the visitor's newest one, if there is any.",
  value: 'What it is worth, in a unit of your own.',
  occurredAt: 'When it happened; without it, now.',
  properties: 'Anything else to keep with it: 16 KiB and five levels at most.',
  createdAt: 'When it was accepted.',
};

const PreviewEvent = builder.objectRef<EventShape>('PreviewEvent').implement({
  description: 'An event as it was accepted.',
  fields: (t) => ({
    id: t.exposeID('id', {
      description: 'Its identifier; for a conversion the `conversionEventId` of its webhook.',
    }),
    type: t.exposeString('type', { description: MEANING.type }),
    goal: t.exposeString('goal', { nullable: true, description: MEANING.goal }),
    visitorId: t.exposeString('visitorId', { description: MEANING.visitor }),
    conversationId: t.exposeID('conversationId', {
      nullable: true,
      description: 'The conversation that it belongs to; null: none.',
    }),
    value: t.exposeFloat('value', { nullable: true, description: MEANING.value }),
    occurredAt: t.expose('occurredAt', { type: 'DateTime', description: 'When it happened.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: MEANING.createdAt }),
  }),
});

const Event = builder.objectRef<EventShape>('Event').implement({
  subGraphs: ['preview'],
  description: 'An event as it was accepted.',
  fields: (t) => ({
    id: t.exposeID('id', {
      description: 'Its identifier; for a conversion the `conversionEventId` of its webhook.',
    }),
    type: t.exposeString('type', { description: MEANING.type }),
    goal: t.exposeString('goal', { nullable: true, description: MEANING.goal }),
    visitor_id: t.exposeString('visitorId', { description: MEANING.visitor }),
    conversation_id: t.exposeID('conversationId', {
      nullable: true,
      description: 'The conversation that it belongs to; null: none.',
    }),
    value: t.exposeFloat('value', { nullable: true, description: MEANING.value }),
    occurred_at: t.expose('occurredAt', { type: 'DateTime', description: 'When it happened.' }),
    created_at: t.expose('createdAt', { type: 'DateTime', description: MEANING.createdAt }),
  }),
});

const RecordEventInput = builder.inputType('RecordEventInput', {
  description: 'Something that a visitor did.',
  validate: { schema: recordInput },
  fields: (t) => ({
    type: t.string({ required: true, description: MEANING.type }),
    visitorId: t.string({ required: true, description: MEANING.visitor }),
    goal: t.string({ description: MEANING.goal }),
    conversationId: t.id({ description: MEANING.conversation }),
    value: t.float({ description: MEANING.value }),
    occurredAt: t.field({ type: 'DateTime', description: MEANING.occurredAt }),
    properties: t.field({ type: 'JSON', description: MEANING.properties }),
  }),
});

/** Records an event, and says so where it is the answer to an `Idempotency-Key` that was seen before. */
async function record(
  { services, tenant, idempotencyKey, responseHeaders }: GraphQLContext,
  input: EventInput,
) {
  const { event, replayed } = await services.events.record(tenant(), input, idempotencyKey ?? null);
  if (replayed) responseHeaders['Idempotent-Replayed'] = 'true';
  return event;
}

builder.mutationFields((t) => ({
  recordEvent: t.field({
    type: PreviewEvent,
    description:
      'Records an event. A conversion marks its conversation as converted and is told to webhook endpoints as `conversion.recorded`.',
    authScopes: { write: true },
    args: { input: t.arg({ type: RecordEventInput, required: true, description: 'The event.' }) },
    resolve: (_root, { input }, context) =>
      named(record(context, input), { conversationId: 'input.conversationId' }),
  }),
  createEvent: t.field({
    subGraphs: ['preview'],
    type: Event,
    description:
      'Records an event. A conversion marks its conversation as converted and is told to webhook endpoints as `conversion.recorded`.',
    authScopes: { write: true },
    args: {
      type: t.arg.string({ required: true, description: MEANING.type }),
      visitor_id: t.arg.string({ required: true, description: MEANING.visitor }),
      goal: t.arg.string({ description: MEANING.goal }),
      conversation_id: t.arg.id({ description: MEANING.conversation }),
      value: t.arg.float({ description: MEANING.value }),
      occurred_at: t.arg({ type: 'DateTime', description: MEANING.occurredAt }),
      properties: t.arg({ type: 'JSON', description: MEANING.properties }),
    },
    validate: { schema: createArgs },
    extensions: rest({
      mount: 'preview',
      method: 'POST',
      path: '/events',
      responseStatus: 201,
      scope: 'write',
      tag: 'Events',
      summary: 'Record an event',
    }),
    resolve: (_root, { visitor_id, conversation_id, occurred_at, ...input }, context) =>
      named(
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
