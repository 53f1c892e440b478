import type { GraphQLResolveInfo } from 'graphql';
import { z } from 'zod';
import type { PullRequest } from '../../src/features/event-feeds/event-feed.service.ts';
import type {
  EventFeed as FeedShape,
  EventFeedPage as PageShape,
  EventFeedStatus as StatusShape,
} from '../../src/features/event-feeds/event-feed.types.ts';
import { POSITION } from '../../src/features/event-feeds/feed-positions.ts';
import { parseDateTime } from '../../src/platform/date-time.ts';
import { isObject } from '../../src/platform/is-object.ts';
import { JsonError, parseJsonText } from '../../src/platform/json-text.ts';
import { isSelectedBy } from '../../src/shared/custom-events.ts';
import { builder, GRAPHQL_AND_V1 } from '../builder.ts';
import type { GraphQLContext } from '../context.ts';
import { cursorArgument, pageSize, restPageType } from '../paging.ts';
import { type RestFieldOptions, restField } from '../rest-route.ts';
import { INT64 } from '../scalars.ts';
import { permitted } from './account-events.ts';
import { PublishedEvent, WebhookEvent } from './delivery-edges.ts';
import { EVENT_NAME_VALUES, eventName, MAX_EVENT_NAMES, validatedName } from './event-types.ts';
import { EVENT_EXAMPLE } from './webhook-rest-examples.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 100;
/** Below the usual idle timeout of proxies, 60 s. Seconds. */
const MAX_WAIT_SECONDS = 30;

/** Characters of a filter in a query string. */
const MAX_FILTER_LENGTH = 4_096;

const NAME = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/;
const named = z
  .string()
  .regex(NAME, 'Must be a letter or digit and up to 99 more of A-Z, a-z, 0-9, ".", "_", ":" and "-".');
const waitSeconds = z
  .int()
  .min(0, `Must be 0 to ${MAX_WAIT_SECONDS}.`)
  .max(MAX_WAIT_SECONDS, `Must be 0 to ${MAX_WAIT_SECONDS}.`);
const eventNames = z
  .array(eventName)
  .min(1, 'Must name at least one event type.')
  .max(MAX_EVENT_NAMES, `Must name at most ${MAX_EVENT_NAMES} event types.`)
  .refine((names) => new Set(names).size === names.length, 'Must not contain duplicates.');
/** Event types in a query string, separated by commas. */
const eventNameList = z
  .string()
  .refine(
    (text) => eventNames.safeParse(text.split(',')).success,
    `Must be up to ${MAX_EVENT_NAMES} names of event types, each once, separated by commas: ${EVENT_NAME_VALUES}.`,
  );

const startPosition = z
  .string()
  .max(100, { abort: true })
  .refine((text) => text === 'beginning' || text === 'end' || parseDateTime(text) !== null, `${POSITION}.`);

/** Returns the object that a JSON text is; null for any other text. */
function jsonObject(text: string): Record<string, unknown> | null {
  try {
    const value = parseJsonText(text);
    return isObject(value) ? value : null;
  } catch (error) {
    if (error instanceof JsonError) return null;
    throw error;
  }
}

const filterText = z
  .string()
  .max(MAX_FILTER_LENGTH, { abort: true })
  .refine((text) => jsonObject(text) !== null, 'Must be a JSON object, such as {"data.value":{"$gte":100}}.');

const POSITION_EXAMPLE = 'WzQyLCJbXCJldmVudEZlZWRcIiw0Ml0iXQ';

const EventFeedPage = builder.objectRef<PageShape>('EventFeedPage').implement({
  subGraphs: GRAPHQL_AND_V1,
  description: 'Events of a feed after a position, in the order in which they were committed.',
  fields: (t) => ({
    events: t.field({
      subGraphs: ['graphql'],
      type: [WebhookEvent],
      description: 'Events after the position, oldest first.',
      resolve: ({ data }) => data,
    }),
    data: t.field({
      subGraphs: ['v1'],
      type: [PublishedEvent],
      description: 'Events after the position, oldest first.',
      resolve: ({ data }) => data,
    }),
    cursor: t.exposeString('cursor', {
      description:
        'Position after these events, also if there are none: acknowledge it once they are processed.',
    }),
    hasMore: t.exposeBoolean('hasMore', { description: 'True if more events are stored after the cursor.' }),
    oldest: t.expose('oldest', {
      type: 'DateTime',
      nullable: true,
      description:
        'Time of the oldest event that retention has kept for feeds; null if there is none. A position before it is `POSITION_GONE`.',
    }),
  }),
});

type FeedFieldBuilder<Shape extends FeedShape> = PothosSchemaTypes.ObjectFieldBuilder<
  typeof builder.$inferSchemaTypes,
  Shape
>;

/** Fields of a feed, by itself and in a list. */
const feedFields = <Shape extends FeedShape>(t: FeedFieldBuilder<Shape>) => ({
  name: t.string({ description: 'Name of the feed.', resolve: ({ name }) => name }),
  cursor: t.string({
    description: 'Acknowledged position; a pull begins after it.',
    resolve: ({ cursor }) => cursor,
  }),
  consumer: t.string({
    nullable: true,
    description:
      'Consumer that holds the feed, or held it last; without a name, `key:` and the ID of the API key, or `session:` and the ID of the console session. Null before the first pull.',
    resolve: ({ consumer }) => consumer,
  }),
  heldUntil: t.field({
    type: 'DateTime',
    description: 'End of the lease of the consumer: afterwards another consumer can pull.',
    resolve: ({ heldUntil }) => heldUntil,
  }),
});

const EventFeed = builder.objectRef<FeedShape>('EventFeed').implement({
  subGraphs: GRAPHQL_AND_V1,
  description: 'A feed and its stored position.',
  fields: feedFields,
});

const EventFeedStatus = builder.objectRef<StatusShape>('EventFeedStatus').implement({
  subGraphs: GRAPHQL_AND_V1,
  description: 'A feed, its stored position, and how far that is behind.',
  fields: (t) => ({
    ...feedFields(t),
    usedAt: t.expose('usedAt', {
      type: 'DateTime',
      description: 'Time of the last pull, acknowledgement or seek; 90 days later the feed is removed.',
    }),
    behind: t.exposeFloat('behind', {
      extensions: INT64,
      description:
        'Number of stored events of the customer after the position, events that the filters of its pulls leave out included.',
    }),
    behindSince: t.expose('behindSince', {
      type: 'DateTime',
      nullable: true,
      description: 'Creation time of the first of these events, to the second; null if there is none.',
    }),
    lost: t.exposeFloat('lost', {
      extensions: INT64,
      description:
        'Upper bound of the number of events after the position that retention has removed. Unless it is 0, a pull returns `POSITION_GONE` until the feed seeks.',
    }),
  }),
});

const EventFeedList = restPageType('EventFeedStatus', EventFeedStatus, {
  rows: 'event feeds',
  order: 'by name',
});

const FEED_EXAMPLE = {
  name: 'crm',
  cursor: POSITION_EXAMPLE,
  consumer: 'worker-1',
  heldUntil: '2026-01-31T09:30:15.000Z',
};

const FEED_STATUS_EXAMPLE = {
  ...FEED_EXAMPLE,
  usedAt: '2026-01-31T09:30:00.000Z',
  behind: 3,
  behindSince: '2026-01-31T09:29:58.000Z',
  lost: 0,
};

/** Cost of the list of a customer's feeds: one entry of the log is read for each. */
const LIST_COST = 50;

/** Declares a route of event feeds; `path` is relative to the list of feeds. */
const feedRoute = (route: Omit<RestFieldOptions, 'mount' | 'tag'>) =>
  restField({
    mount: 'v1',
    tag: 'Event feeds',
    ...route,
    path: `/customers/:customerId/event-feeds${route.path}`,
  });

const POSITIONS =
  '`beginning`: before the oldest stored event; `end`: after the newest; an ISO 8601 date, or date and time with an offset: before the first event from then on';
const HELD = 'Another consumer holds the feed.';
const LOST = 'Retention has removed events after the position.';

/** Returns the argument that names a feed. */
const nameArg = () =>
  builder.args((t) => ({
    name: t.string({
      required: true,
      description:
        'Name of the feed: a letter or digit and up to 99 more of A-Z, a-z, 0-9, `.`, `_`, `:` and `-`.',
      validate: { schema: named },
    }),
  }));

/** Returns the arguments that name a feed and its consumer. */
const feedArgs = () => ({
  ...nameArg(),
  ...builder.args((t) => ({
    consumer: t.string({
      description:
        'Consumer that pulls, in the same characters as the name; default: the API key or the console session.',
      validate: { schema: named },
    }),
  })),
});

/** Returns the arguments of a pull on every surface. */
const pullArgs = () =>
  builder.args((t) => ({
    limit: t.int({
      defaultValue: DEFAULT_LIMIT,
      description: `Maximum number of events, 1 to ${MAX_LIMIT}.`,
      validate: { schema: pageSize(MAX_LIMIT) },
    }),
    cursor: t.string({
      description:
        'Position to read from, to read ahead of what is acknowledged; default: the acknowledged position.',
      validate: { schema: cursorArgument },
    }),
    start: t.string({
      defaultValue: 'beginning',
      description: `Position of a feed that does not exist yet: ${POSITIONS}.`,
      validate: { schema: startPosition },
    }),
    type: t.string({ description: 'Only events of this type.', validate: { schema: eventName } }),
  }));

interface PullArgs extends Pick<PullRequest, 'filter' | 'waitMs'> {
  name: string;
  consumer?: string | null;
  limit?: number | null;
  cursor?: string | null;
  start?: string | null;
  type?: string | null;
  events?: readonly string[] | null | undefined;
}

const pull = (
  { name, consumer, limit, cursor, start, type, events, filter, waitMs }: PullArgs,
  context: GraphQLContext,
  info: GraphQLResolveInfo,
) =>
  permitted(context, info, [...(events ?? []), ...(type == null ? [] : [type])], () =>
    context.services.eventFeeds.pull(
      context.tenant(),
      context.principal,
      {
        name,
        consumer: consumer ?? null,
        limit: limit ?? DEFAULT_LIMIT,
        cursor: cursor ?? null,
        start: start ?? 'beginning',
        events: selectedNames(type, events),
        filter,
        waitMs,
      },
      context,
    ),
  );

/** Both conditions must hold. */
function selectedNames(type: string | null | undefined, events: readonly string[] | null | undefined) {
  const names = events?.map(validatedName) ?? null;
  if (type == null) return names;
  const only = validatedName(type);
  return names && !isSelectedBy(only, names) ? names.filter((name) => isSelectedBy(name, [only])) : [only];
}

const FILTER =
  'Conditions that an event must fulfil, over its envelope, in the syntax of the filter of an endpoint';
const PULL =
  'The events of the customer after the acknowledged position of a feed, in the order in which they were committed. The feed is created by the first pull, and held for its consumer until 15 seconds after the last pull or acknowledgement; meanwhile a pull of another consumer is a `CONFLICT` that names the holder. Events that are not acknowledged are returned again. Without `events` and `type`, all customer events are selected; operational events must be named, and custom ones, such as `custom.page.viewed` or all by `custom.*`, which a feed has from the first pull on that names them.';

const LIST =
  "The customer's event feeds by name, at most 100, with their consumers, positions, and how far each is behind what was accepted before.";

builder.queryFields((t) => ({
  eventFeeds: t.field({
    type: [EventFeedStatus],
    description: LIST,
    scope: 'read',
    resource: 'events',
    complexity: LIST_COST,
    resolve: (_root, _args, { tenant, services }) => services.eventFeeds.list(tenant()),
  }),
  listEventFeeds: t.field({
    ...feedRoute({
      method: 'GET',
      path: '',
      scope: 'read',
      resource: 'events',
      summary: 'List event feeds',
      example: { response: { data: [FEED_STATUS_EXAMPLE], nextCursor: null, hasMore: false } },
    }),
    type: EventFeedList,
    description: `${LIST} All of them are on a single page.`,
    resolve: async (_root, _args, { tenant, services }) => ({
      data: await services.eventFeeds.list(tenant()),
      nextCursor: null,
      hasMore: false,
    }),
  }),
  eventFeed: t.field({
    type: EventFeedPage,
    description: PULL,
    scope: 'read',
    resource: 'events',
    args: {
      ...feedArgs(),
      ...pullArgs(),
      events: t.arg.stringList({
        description: 'Only events of these types, each once.',
        validate: { schema: eventNames },
      }),
      filter: t.arg({ type: 'JSON', description: `${FILTER}.` }),
    },
    complexity: ({ limit }) => ({
      field: 1,
      multiplier: Math.min(Math.max(limit ?? DEFAULT_LIMIT, 1), MAX_LIMIT),
    }),
    resolve: (_root, { filter, ...args }, context, info) =>
      pull({ ...args, filter: filter ?? null, waitMs: 0 }, context, info),
  }),
  pullEventFeed: t.field({
    ...feedRoute({
      method: 'GET',
      path: '/:name',
      scope: 'read',
      resource: 'events',
      summary: 'Pull events from a feed',
      errors: {
        CONFLICT: 'Another consumer holds the feed, or the customer has the maximum number of feeds.',
        POSITION_GONE: LOST,
      },
      example: {
        query: { wait: 0, limit: 100, consumer: 'worker-1' },
        response: {
          data: [EVENT_EXAMPLE],
          cursor: POSITION_EXAMPLE,
          hasMore: false,
          oldest: '2026-01-31T09:30:00.000Z',
        },
      },
    }),
    type: EventFeedPage,
    description: PULL,
    args: {
      ...feedArgs(),
      ...pullArgs(),
      wait: t.arg.int({
        defaultValue: 0,
        description: `Seconds to wait for an event if there is none, 0 to ${MAX_WAIT_SECONDS}.`,
        validate: { schema: waitSeconds },
      }),
      events: t.arg.string({
        description: 'Only events of these types: names separated by commas, each once.',
        validate: { schema: eventNameList },
      }),
      filter: t.arg.string({
        description: `${FILTER}, as JSON.`,
        validate: { schema: filterText },
      }),
    },
    resolve: (_root, { wait, events, filter, ...args }, context, info) =>
      pull(
        {
          ...args,
          events: events?.split(','),
          filter: filter == null ? null : jsonObject(filter),
          waitMs: (wait ?? 0) * 1_000,
        },
        context,
        info,
      ),
  }),
}));

builder.mutationFields((t) => ({
  ackEventFeed: t.field({
    ...feedRoute({
      graphql: true,
      method: 'POST',
      path: '/:name/ack',
      scope: 'write',
      resource: 'events',
      summary: 'Acknowledge events of a feed',
      errors: { CONFLICT: HELD },
      example: { body: { cursor: POSITION_EXAMPLE, consumer: 'worker-1' }, response: FEED_EXAMPLE },
    }),
    type: EventFeed,
    description:
      'Moves the acknowledged position of a feed forward to a cursor, and renews the lease of its consumer. A cursor before the position changes nothing.',
    args: {
      ...feedArgs(),
      cursor: t.arg.string({
        required: true,
        description: '`cursor` of a pull: all events before it are processed.',
        validate: { schema: cursorArgument },
      }),
    },
    resolve: (_root, { name, consumer, cursor }, { tenant, principal, services }) =>
      services.eventFeeds.acknowledge(tenant(), principal, { name, consumer: consumer ?? null, cursor }),
  }),
  seekEventFeed: t.field({
    ...feedRoute({
      graphql: true,
      method: 'POST',
      path: '/:name/seek',
      scope: 'write',
      resource: 'events',
      summary: 'Set the position of a feed',
      errors: { CONFLICT: HELD, POSITION_GONE: LOST },
      example: { body: { to: 'beginning', consumer: 'worker-1' }, response: FEED_EXAMPLE },
    }),
    type: EventFeed,
    description: 'Sets the acknowledged position of a feed, and creates the feed if it does not exist.',
    args: {
      ...feedArgs(),
      to: t.arg.string({
        required: true,
        description: `${POSITIONS}; or a cursor.`,
        validate: { schema: z.string().max(500) },
      }),
    },
    resolve: (_root, { name, consumer, to }, { tenant, principal, services }) =>
      services.eventFeeds.seek(tenant(), principal, { name, consumer: consumer ?? null, to }),
  }),
  deleteEventFeed: t.field({
    ...feedRoute({
      graphql: true,
      method: 'DELETE',
      path: '/:name',
      scope: 'write',
      resource: 'events',
      summary: 'Delete a feed',
      errors: { CONFLICT: HELD },
      example: { response: FEED_EXAMPLE },
    }),
    type: EventFeed,
    description:
      'Deletes a feed, and returns its last position. Its events stay stored: a pull of the name creates a feed with a new position, and `seek` to the returned cursor continues.',
    args: nameArg(),
    resolve: (_root, { name }, { tenant, principal, services }) =>
      services.eventFeeds.remove(tenant(), principal, name),
  }),
}));
