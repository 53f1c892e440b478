import { z } from 'zod';
import {
  EVENT_NAMES,
  EVENT_TYPES,
  type EventType as EventTypeShape,
} from '../../src/features/outbox/event-catalogue.ts';
import { builder, rest } from '../builder.ts';
import { pageType } from '../paging.ts';

/** Name of an event kind. A string on every surface, since an enum value cannot hold a dot (contract 12). */
export const eventName = z.enum(EVENT_NAMES, { error: () => `Must be one of ${EVENT_NAMES.join(', ')}.` });

const EventType = builder.objectRef<EventTypeShape>('EventType').implement({
  subGraphs: ['graphql', 'v1'],
  description: 'A kind of event that endpoints can be told about.',
  fields: (t) => ({
    name: t.exposeString('name', {
      description: 'Its name, as in `event` of a delivery and `events` of an endpoint.',
    }),
    description: t.exposeString('description', { description: 'When it happens.' }),
    schema: t.expose('schema', {
      type: 'JSON',
      description: "JSON Schema (2020-12) of the envelope's `data`.",
    }),
    example: t.expose('example', { type: 'JSON', description: 'A value of `data`, valid by `schema`.' }),
  }),
});

const EventTypePage = pageType('EventType', EventType, 'event kinds');

builder.queryFields((t) => ({
  eventTypes: t.field({
    type: [EventType],
    description: 'Every kind of event there is.',
    authScopes: { read: true },
    resolve: () => EVENT_TYPES,
  }),
  listEventTypes: t.field({
    subGraphs: ['v1'],
    type: EventTypePage,
    description: 'Every kind of event there is, on a single page.',
    authScopes: { read: true },
    extensions: rest({
      mount: 'v1',
      method: 'GET',
      path: '/event-types',
      scope: 'read',
      tag: 'Event types',
      summary: 'List the event catalogue',
    }),
    resolve: () => ({ data: EVENT_TYPES, nextCursor: null, hasMore: false }),
  }),
}));
