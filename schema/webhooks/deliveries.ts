import { z } from 'zod';
import type { DeliveryStatus as Status } from '../../src/features/webhooks/delivery/state.ts';
import { text } from '../../src/platform/text-validation.ts';
import { MAX_DELIVERY_SEARCH } from '../../src/shared/text-limits.ts';
import { builder } from '../builder.ts';
import type { GraphQLContext } from '../context.ts';
import { objectId } from '../object-id.ts';
import {
  connectionArgs,
  connectionCost,
  connectionRequest,
  connectionType,
  restPageArgs,
  restPageRequest,
  restPageType,
  SEARCH_COST,
  toConnection,
  toRestPage,
} from '../paging.ts';
import { emitted } from '../subscription-events.ts';
import { isReadable } from './account-events.ts';
import { DeliveryStatus, WebhookDelivery, WebhookDeliveryDetail } from './delivery.types.ts';
import { WebhookEndpoint } from './endpoint.types.ts';
import { eventName, validatedName } from './event-types.ts';
import { DELIVERY_DETAIL_EXAMPLE, DELIVERY_EXAMPLE } from './webhook-rest-examples.ts';
import { deliveryRoute } from './webhook-routes.ts';

interface FilterArgs {
  endpointId?: number | null;
  status?: Status | null;
  event?: string | null;
  since?: Date | null;
  until?: Date | null;
  responseStatus?: number | null;
  error?: string | null;
  eventId?: string | null;
  conversationId?: string | null;
  text?: string | null;
}

const WITH_EVENTS = 'can be combined with every other filter';
const FAILURES =
  'without `eventId` or `conversationId`, it can be combined with the endpoint, `status`, `since` and `until`';

const httpStatus = z.int().min(100, 'Must be 100 to 599.').max(599, 'Must be 100 to 599.');
const errorCode = z.string().regex(/^[a-z][a-z0-9_]{0,99}$/, 'Must be an error code, such as http_500.');

/** Counts a search without an id as a large read: a customer executes one at a time. */
const listCost = ({ first, text, eventId, conversationId }: FilterArgs & { first?: number | null }) => ({
  ...connectionCost({ first }),
  field: text != null && eventId == null && conversationId == null ? SEARCH_COST : 1,
});

/** Returns the arguments that filter a list of deliveries. */
const filterArgs = () =>
  builder.args((t) => ({
    status: t.field({ type: DeliveryStatus, description: 'Only deliveries with this status.' }),
    event: t.string({ description: 'Only deliveries of this event type.', validate: { schema: eventName } }),
    since: t.field({
      type: 'DateTime',
      description: 'Only deliveries that were created at or after this time.',
    }),
    until: t.field({ type: 'DateTime', description: 'Only deliveries that were created before this time.' }),
    responseStatus: t.int({
      description: `Only deliveries whose last response had this HTTP status, from 300 on; ${FAILURES}, with \`eventId\` or \`conversationId\` it can be any status.`,
      validate: { schema: httpStatus },
    }),
    error: t.string({
      description: `Only deliveries whose last attempt failed with this code, such as \`timeout\`; ${FAILURES}.`,
      validate: { schema: errorCode },
    }),
    eventId: t.id({
      description: `Only deliveries of this event; ${WITH_EVENTS}.`,
      validate: { schema: objectId },
    }),
    conversationId: t.id({
      description: `Only deliveries of the events of this conversation, its newest 1,000; ${WITH_EVENTS}.`,
      validate: { schema: objectId },
    }),
    text: t.string({
      description:
        'Only deliveries of events whose payload contains this text, as a value or as JSON, ignoring case. Without `eventId` or `conversationId`, a page searches the newest 5,000 deliveries that fulfil the other conditions, and ends earlier after 64 Mi characters of payload; `until` reaches older ones.',
      validate: { schema: text({ max: MAX_DELIVERY_SEARCH }) },
    }),
  }));

const toFilter = ({ endpointId, status, event, ...more }: FilterArgs, context: GraphQLContext) => ({
  endpointId: endpointId ?? undefined,
  status: status ?? undefined,
  event: event == null ? undefined : validatedName(event),
  since: more.since ?? undefined,
  until: more.until ?? undefined,
  responseStatus: more.responseStatus ?? undefined,
  error: more.error ?? undefined,
  eventId: more.eventId ?? undefined,
  conversationId: more.conversationId ?? undefined,
  text: more.text ?? undefined,
  isReadable: (name: string) => isReadable(context, name),
  signal: context.signal,
});

const DeliveryConnection = connectionType('WebhookDelivery', WebhookDelivery, { rows: 'webhook deliveries' });
const DeliveryPage = restPageType('WebhookDelivery', WebhookDelivery, { rows: 'webhook deliveries' });

builder.objectField(WebhookEndpoint, 'deliveries', (t) =>
  t.field({
    subGraphs: ['graphql'],
    type: DeliveryConnection,
    description: 'Deliveries to this endpoint, newest first.',
    args: { ...connectionArgs(), ...filterArgs() },
    complexity: listCost,
    resolve: ({ id }, args, context) =>
      toConnection(
        context.services.deliveries.list(
          context.tenant(),
          toFilter({ ...args, endpointId: id }, context),
          connectionRequest(args),
        ),
        args,
      ),
  }),
);

builder.queryFields((t) => ({
  webhookDelivery: t.field({
    type: WebhookDelivery,
    nullable: true,
    description: 'A webhook delivery by its ID; null if the customer has none with that ID.',
    scope: 'read',
    resource: 'webhooks',
    args: { id: t.arg.id({ required: true, description: 'ID of the delivery.' }) },
    resolve: (_root, { id }, { tenant, services }) => services.deliveries.find(tenant(), id),
  }),
  webhookDeliveries: t.field({
    type: DeliveryConnection,
    description: "The customer's webhook deliveries to all endpoints, newest first.",
    scope: 'read',
    resource: 'webhooks',
    args: {
      ...connectionArgs(),
      endpointId: t.arg.int({ description: 'Only deliveries to this endpoint.' }),
      ...filterArgs(),
    },
    complexity: listCost,
    resolve: (_root, args, context) =>
      toConnection(
        context.services.deliveries.list(context.tenant(), toFilter(args, context), connectionRequest(args)),
        args,
      ),
  }),
  listWebhookDeliveries: t.field({
    ...deliveryRoute({
      method: 'GET',
      path: '/deliveries',
      large: true,
      scope: 'read',
      resource: 'webhooks',
      summary: "List an endpoint's deliveries",
      example: { response: { data: [DELIVERY_EXAMPLE], nextCursor: null, hasMore: false } },
    }),
    type: DeliveryPage,
    description: 'Deliveries to a webhook endpoint, newest first, without payload and attempts.',
    args: {
      endpointId: t.arg.int({ required: true, description: 'ID of the endpoint.' }),
      ...filterArgs(),
      ...restPageArgs(),
    },
    resolve: async (_root, args, context) =>
      toRestPage(
        await context.services.deliveries.list(
          context.tenant(),
          toFilter(args, context),
          restPageRequest(args),
        ),
      ),
  }),
  getWebhookDelivery: t.field({
    ...deliveryRoute({
      method: 'GET',
      path: '/deliveries/:deliveryId',
      validator: 'content',
      scope: 'read',
      resource: 'webhooks',
      summary: 'Get a delivery',
      example: { response: DELIVERY_DETAIL_EXAMPLE },
    }),
    type: WebhookDeliveryDetail,
    description: 'A delivery to a webhook endpoint, with the body sent and all attempts.',
    args: {
      endpointId: t.arg.int({ required: true, description: 'ID of the endpoint.' }),
      deliveryId: t.arg.id({ required: true, description: 'ID of the delivery.' }),
    },
    resolve: (_root, args, { tenant, services }) => services.deliveries.get(tenant(), args),
  }),
}));

builder.subscriptionField('webhookDeliveryUpdated', (t) =>
  t.field({
    type: WebhookDelivery,
    description: "Every change of the customer's deliveries from now on, in any process.",
    scope: 'read',
    resource: 'webhooks',
    args: { endpointId: t.arg.int({ description: 'Only deliveries to this endpoint.' }) },
    subscribe: (_root, { endpointId }, { principal, tenant, services, signal, subscription }) =>
      services.deliveryFeed.subscribe(principal, tenant(), {
        endpointId: endpointId ?? undefined,
        after: subscription.lastEventId,
        signal,
      }),
    resolve: (event, _args, context) => emitted(event, context),
  }),
);
