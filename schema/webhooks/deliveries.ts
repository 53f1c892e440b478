import type { DeliveryStatus as Status } from '../../src/features/webhooks/delivery/delivery-state.ts';
import { builder } from '../builder.ts';
import {
  connectionArgs,
  connectionCost,
  connectionRequest,
  connectionType,
  pageArgs,
  pageRequest,
  pageType,
  toConnection,
  toPage,
} from '../paging.ts';
import { DeliveryStatus, WebhookDelivery, WebhookDeliveryDetail } from './delivery.types.ts';
import { WebhookEndpoint } from './endpoint.types.ts';
import { eventName } from './event-types.ts';
import { deliveryRoute } from './routes.ts';

interface Filter {
  endpointId?: number | null;
  status?: Status | null;
  event?: string | null;
}

/** What a list of deliveries can be narrowed to. */
const filterArgs = () =>
  builder.args((t) => ({
    status: t.field({ type: DeliveryStatus, description: 'Only deliveries of this status.' }),
    event: t.string({ description: 'Only deliveries of this event kind.', validate: { schema: eventName } }),
  }));

/** The filter that those arguments are, typed; zod has let no unknown name through. */
const toFilter = ({ endpointId, status, event }: Filter) => ({
  endpointId: endpointId ?? undefined,
  status: status ?? undefined,
  event: eventName.optional().parse(event ?? undefined),
});

const DeliveryConnection = connectionType('WebhookDelivery', WebhookDelivery, 'webhook deliveries');
const DeliveryPage = pageType('WebhookDelivery', WebhookDelivery, 'webhook deliveries');

builder.objectField(WebhookEndpoint, 'deliveries', (t) =>
  t.field({
    subGraphs: ['graphql'],
    type: DeliveryConnection,
    description: 'Deliveries to this endpoint, newest first.',
    args: { ...connectionArgs(), ...filterArgs() },
    complexity: connectionCost,
    resolve: ({ id }, args, { tenant, services }) =>
      toConnection(
        services.deliveries.list(tenant(), toFilter({ ...args, endpointId: id }), connectionRequest(args)),
        args,
      ),
  }),
);

builder.queryFields((t) => ({
  webhookDelivery: t.field({
    type: WebhookDelivery,
    nullable: true,
    description: 'One webhook delivery; null when the tenant has none of that id.',
    authScopes: { read: true },
    args: { id: t.arg.id({ required: true, description: 'Its identifier.' }) },
    resolve: (_root, { id }, { tenant, services }) => services.deliveries.find(tenant(), id),
  }),
  webhookDeliveries: t.field({
    type: DeliveryConnection,
    description: "The tenant's webhook deliveries to all endpoints, newest first.",
    authScopes: { read: true },
    args: {
      ...connectionArgs(),
      endpointId: t.arg.int({ description: 'Only deliveries to this endpoint.' }),
      ...filterArgs(),
    },
    complexity: connectionCost,
    resolve: (_root, args, { tenant, services }) =>
      toConnection(services.deliveries.list(tenant(), toFilter(args), connectionRequest(args)), args),
  }),
  listWebhookDeliveries: t.field({
    subGraphs: ['v1'],
    type: DeliveryPage,
    description: 'Deliveries to a webhook endpoint, newest first; without payload and attempts.',
    authScopes: { read: true },
    args: {
      endpointId: t.arg.int({ required: true, description: 'The endpoint.' }),
      ...filterArgs(),
      ...pageArgs(),
    },
    extensions: deliveryRoute({
      method: 'GET',
      path: '/deliveries',
      scope: 'read',
      summary: 'List the deliveries to an endpoint',
    }),
    resolve: async (_root, args, { tenant, services }) =>
      toPage(await services.deliveries.list(tenant(), toFilter(args), pageRequest(args))),
  }),
  getWebhookDelivery: t.field({
    subGraphs: ['v1'],
    type: WebhookDeliveryDetail,
    description: 'One delivery to a webhook endpoint, with the body sent and the attempts made.',
    authScopes: { read: true },
    args: {
      endpointId: t.arg.int({ required: true, description: 'The endpoint.' }),
      deliveryId: t.arg.id({ required: true, description: 'The delivery.' }),
    },
    extensions: deliveryRoute({
      method: 'GET',
      path: '/deliveries/:deliveryId',
      scope: 'read',
      summary: 'Get a delivery',
    }),
    resolve: (_root, { endpointId, deliveryId }, { tenant, services }) =>
      services.deliveries.get(tenant(), endpointId, deliveryId),
  }),
}));

builder.subscriptionField('webhookDeliveryUpdated', (t) =>
  t.field({
    type: WebhookDelivery,
    description: 'Every change of a delivery of the tenant from now on, whichever process made it.',
    authScopes: { read: true },
    args: { endpointId: t.arg.int({ description: 'Only deliveries to this endpoint.' }) },
    subscribe: (_root, { endpointId }, { principal, tenant, services }) =>
      services.deliveryFeed.subscribe(principal, tenant(), { endpointId: endpointId ?? undefined }),
    resolve: (delivery) => delivery,
  }),
);
