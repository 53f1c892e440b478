import { CONVERSION } from '../../src/features/outbox/event-type.ts';
import type {
  CustomEventFilter,
  PreviewEvent as EventShape,
} from '../../src/features/preview-events/preview-event.types.ts';
import type { IdPage } from '../../src/platform/list-page.ts';
import { text } from '../../src/platform/text-validation.ts';
import { builder } from '../builder.ts';
import {
  connectionArgs,
  connectionCost,
  connectionRequest,
  connectionType,
  pageSize,
  toConnection,
} from '../paging.ts';
import { restField } from '../rest-route.ts';
import { INSTANT } from '../scalars.ts';
import { EVENT_EXAMPLE, Event, eventType, PreviewEvent } from './event.types.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

const customType = eventType.refine(
  (type) => type !== CONVERSION,
  'Must be a custom type. Conversions are not listed here; see the deliveries of `conversion.recorded`.',
);

const DESCRIPTION =
  'Accepted events of custom types, newest first. Conversions are not among them: each is the webhook event `conversion.recorded`.';

/** Descriptions of filters, shared by the camelCase and the snake_case spelling. */
const FILTER = {
  type: 'Only events of this custom type; a type without events is an empty list.',
  visitor: 'Only events that this visitor caused.',
  since: 'Only events that were accepted at or after this time',
  until: 'Only events that were accepted before this time',
};

interface FilterArgs {
  type?: string | null;
  since?: Date | null;
  until?: Date | null;
}

const toFilter = (
  { type, since, until }: FilterArgs,
  visitorId: string | null | undefined,
): CustomEventFilter => ({
  type: type ?? undefined,
  visitorId: visitorId ?? undefined,
  since: since ?? undefined,
  until: until ?? undefined,
});

const EventConnection = connectionType('PreviewEvent', PreviewEvent, { rows: 'accepted events' });

const EventList = builder.objectRef<IdPage<EventShape>>('EventList').implement({
  subGraphs: ['preview'],
  description: 'A page of events of custom types, newest first.',
  fields: (t) => ({
    data: t.expose('data', { type: [Event], description: 'Events of this page.' }),
    has_more: t.exposeBoolean('hasMore', {
      description: 'True if more events follow; continue with `starting_after`.',
    }),
  }),
});

builder.queryFields((t) => ({
  customEvents: t.field({
    type: EventConnection,
    description: DESCRIPTION,
    scope: 'read',
    resource: 'events',
    args: {
      ...connectionArgs(),
      type: t.arg.string({ validate: { schema: customType }, description: FILTER.type }),
      visitorId: t.arg.string({ validate: { schema: text() }, description: FILTER.visitor }),
      since: t.arg({ type: 'DateTime', description: `${FILTER.since}.` }),
      until: t.arg({ type: 'DateTime', description: `${FILTER.until}.` }),
    },
    complexity: connectionCost,
    resolve: (_root, args, { tenant, services }) =>
      toConnection(
        services.previewEvents.list(tenant(), toFilter(args, args.visitorId), connectionRequest(args)),
        args,
      ),
  }),
  listEvents: t.field({
    ...restField({
      mount: 'preview',
      method: 'GET',
      path: '/events',
      large: true,
      scope: 'read',
      resource: 'events',
      tag: 'Events',
      summary: 'List events of custom types',
      example: {
        query: { type: 'page.viewed' },
        response: {
          data: [
            {
              ...EVENT_EXAMPLE,
              event_id: null,
              type: 'page.viewed',
              goal: null,
              conversation_id: null,
              value: null,
            },
          ],
          has_more: false,
        },
      },
    }),
    type: EventList,
    description: DESCRIPTION,
    args: {
      limit: t.arg.int({
        defaultValue: DEFAULT_LIMIT,
        validate: { schema: pageSize(MAX_LIMIT) },
        description: `Maximum number of events, 1 to ${MAX_LIMIT}.`,
      }),
      type: t.arg.string({ validate: { schema: customType }, description: FILTER.type }),
      visitor_id: t.arg.string({ validate: { schema: text() }, description: FILTER.visitor }),
      since: t.arg({ type: 'Instant', description: `${FILTER.since}: ${INSTANT}` }),
      until: t.arg({ type: 'Instant', description: `${FILTER.until}: ${INSTANT}` }),
      starting_after: t.arg.id({ description: 'ID of the last event of the previous page.' }),
    },
    resolve: (_root, { limit, visitor_id, starting_after, ...filter }, { tenant, services }) =>
      services.previewEvents.listAfterId(tenant(), toFilter(filter, visitor_id), {
        limit: limit ?? DEFAULT_LIMIT,
        afterId: starting_after ?? null,
      }),
  }),
}));
