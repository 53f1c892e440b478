import { z } from 'zod';
import {
  EVENT_NAMES,
  EVENT_TYPES,
  type EventType as EventTypeShape,
} from '../../src/features/outbox/event-catalog.ts';
import { CUSTOM_TYPE, type EventTypeName, isEventTypeName } from '../../src/features/outbox/event-type.ts';
import { cursorCodec } from '../../src/platform/cursor.ts';
import { escapePattern } from '../../src/platform/escape-pattern.ts';
import { readPage } from '../../src/platform/list-page.ts';
import { builder, GRAPHQL_AND_V1 } from '../builder.ts';
import { restPageArgs, restPageRequest, restPageType, toRestPage } from '../paging.ts';
import { restField } from '../rest-route.ts';

/** The names of the catalog, and what else a name can be, for error messages. */
export const EVENT_NAME_VALUES = `${EVENT_NAMES.join(', ')}, or custom. and a custom type, such as custom.page.viewed`;

/** Names of event types that a list has at most. */
export const MAX_EVENT_NAMES = 100;

/** `isEventTypeName` as a pattern. */
const EVENT_NAME = new RegExp(
  `^(?:${EVENT_NAMES.map(escapePattern).join('|')}|custom\\.${CUSTOM_TYPE.source.slice(1, -1)})$`,
);

/** Validates the name of an event type. A string on every surface: an enum value cannot contain a dot (contract 12). */
export const eventName = z
  .string()
  .regex(EVENT_NAME, { error: `Must be one of ${EVENT_NAME_VALUES}.`, abort: true })
  .refine(isEventTypeName, 'Conversions are no custom type; use conversion.recorded.')
  .meta({
    title: 'EventName',
    description:
      'Name of an event type: one of the catalog, or `custom.` and a custom type; `custom.*` names all custom types.',
  }) as unknown as z.ZodType<EventTypeName, string>;

/** Narrows a name that `eventName` has accepted: the validation of an argument does not change its type. */
export const validatedName = (name: string): EventTypeName => name as EventTypeName;

const EventType = builder.objectRef<EventTypeShape>('EventType').implement({
  subGraphs: GRAPHQL_AND_V1,
  description: 'A type of event that webhook endpoints can receive.',
  fields: (t) => ({
    name: t.exposeString('name', {
      description:
        'Name of the event type, as in `event` of a delivery and `events` of an endpoint. `custom.*` stands for all custom types; the name of one is `custom.` and the type.',
    }),
    description: t.exposeString('description', { description: 'The occurrence that emits the event.' }),
    schema: t.expose('schema', {
      type: 'JSON',
      description: "JSON Schema (2020-12) of the envelope's `data`.",
    }),
    example: t.expose('example', { type: 'JSON', description: 'Example of `data`, valid by `schema`.' }),
  }),
});

const EventTypePage = restPageType('EventType', EventType, {
  rows: 'event types',
  order: 'in the order of the catalog',
});

const cursor = cursorCodec(['eventTypes'], (value): value is EventTypeShape['name'] =>
  EVENT_TYPES.some(({ name }) => name === value),
);

builder.queryFields((t) => ({
  eventTypes: t.field({
    type: [EventType],
    description:
      'All event types: those of customers, which an endpoint without `events` receives, and the custom and operational ones, which an endpoint must name.',
    scope: 'read',
    resource: 'any',
    resolve: () => EVENT_TYPES,
  }),
  listEventTypes: t.field({
    ...restField({
      mount: 'v1',
      method: 'GET',
      path: '/event-types',
      validator: 'content',
      scope: 'read',
      resource: 'any',
      tag: 'Event types',
      summary: 'List event types',
      example: {
        response: {
          data: EVENT_TYPES.slice(0, 1).map(({ name, description, schema, example }) => ({
            name,
            description,
            schema,
            example,
          })),
          nextCursor: null,
          hasMore: false,
        },
      },
    }),
    type: EventTypePage,
    description:
      'All event types: those of customers, which an endpoint without `events` receives, and the custom and operational ones, which an endpoint must name.',
    args: restPageArgs(),
    resolve: async (_root, args) => {
      const page = await readPage(restPageRequest(args), {
        cursor,
        async read(after, limit) {
          const start = EVENT_TYPES.findIndex(({ name }) => name === after) + 1;
          return EVENT_TYPES.slice(start, start + limit);
        },
        positionOf: ({ name }) => name,
        toNode: (type) => type,
      });
      return toRestPage(page);
    },
  }),
}));
