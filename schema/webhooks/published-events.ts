import { builder } from '../builder.ts';
import { objectId } from '../object-id.ts';
import {
  connectionArgs,
  connectionCost,
  connectionRequest,
  connectionType,
  restPageArgs,
  restPageRequest,
  restPageType,
  toConnection,
  toRestPage,
} from '../paging.ts';
import { PublishedEvent, WebhookEvent } from './delivery-edges.ts';
import { eventName, validatedName } from './event-types.ts';
import { EVENT_EXAMPLE } from './webhook-rest-examples.ts';
import { eventRoute } from './webhook-routes.ts';

const ROWS = { rows: 'published events' };

const EventConnection = connectionType('WebhookEvent', WebhookEvent, ROWS);
const EventPage = restPageType('PublishedEvent', PublishedEvent, ROWS);

const LIST = "The customer's published events, newest first, whether an endpoint receives them or not.";

interface FilterArgs {
  type?: string | null;
  conversationId?: string | null;
  since?: Date | null;
  until?: Date | null;
}

/** Returns the arguments that filter a list of events. */
const filterArgs = () =>
  builder.args((t) => ({
    type: t.string({ description: 'Only events of this type.', validate: { schema: eventName } }),
    conversationId: t.string({
      description: 'Only events of this conversation; a conversation without events is an empty list.',
      validate: { schema: objectId },
    }),
    since: t.field({ type: 'DateTime', description: 'Only events that were emitted at or after this time.' }),
    until: t.field({ type: 'DateTime', description: 'Only events that were emitted before this time.' }),
  }));

const toFilter = ({ type, conversationId, since, until }: FilterArgs) => ({
  type: type == null ? undefined : validatedName(type),
  conversationId: conversationId ?? undefined,
  since: since ?? undefined,
  until: until ?? undefined,
});

builder.queryFields((t) => ({
  webhookEvent: t.field({
    type: WebhookEvent,
    nullable: true,
    description: 'A published event by its ID; null if the customer has none with that ID.',
    scope: 'read',
    resource: 'events',
    args: { id: t.arg.id({ required: true, description: 'ID of the event.' }) },
    resolve: (_root, { id }, { tenant, services }) => services.publishedEvents.find(tenant(), id),
  }),
  webhookEvents: t.field({
    type: EventConnection,
    description: LIST,
    scope: 'read',
    resource: 'events',
    args: { ...connectionArgs(), ...filterArgs() },
    complexity: connectionCost,
    resolve: (_root, args, { tenant, services }) =>
      toConnection(services.publishedEvents.list(tenant(), toFilter(args), connectionRequest(args)), args),
  }),
  listPublishedEvents: t.field({
    ...eventRoute({
      method: 'GET',
      path: '',
      large: true,
      scope: 'read',
      resource: 'events',
      summary: 'List events',
      example: {
        query: { type: EVENT_EXAMPLE.event },
        response: { data: [EVENT_EXAMPLE], nextCursor: null, hasMore: false },
      },
    }),
    type: EventPage,
    description: LIST,
    args: { ...filterArgs(), ...restPageArgs() },
    resolve: async (_root, args, { tenant, services }) =>
      toRestPage(await services.publishedEvents.list(tenant(), toFilter(args), restPageRequest(args))),
  }),
  getPublishedEvent: t.field({
    ...eventRoute({
      method: 'GET',
      path: '/:eventId',
      validator: 'content',
      scope: 'read',
      resource: 'events',
      summary: 'Get an event',
      example: { response: EVENT_EXAMPLE },
    }),
    type: PublishedEvent,
    description: 'A published event with its payload and its deliveries.',
    args: { eventId: t.arg.id({ required: true, description: 'ID of the event.' }) },
    resolve: (_root, { eventId }, { tenant, services }) => services.publishedEvents.get(tenant(), eventId),
  }),
}));
