import { builder } from '../builder.ts';
import { named } from '../naming.ts';
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
import { CreateInput, createInput, UpdateInput, updateInput } from './endpoint.inputs.ts';
import { CreatedEndpoint, DeletedEndpoint, RotatedSecret, WebhookEndpoint } from './endpoint.types.ts';
import { endpointRoute } from './routes.ts';

const EndpointConnection = connectionType('WebhookEndpoint', WebhookEndpoint, 'webhook endpoints');
const EndpointPage = pageType('WebhookEndpoint', WebhookEndpoint, 'webhook endpoints');

builder.queryFields((t) => ({
  webhookEndpoints: t.field({
    type: EndpointConnection,
    description: "The tenant's webhook endpoints, newest first.",
    authScopes: { read: true },
    args: connectionArgs(),
    complexity: connectionCost,
    resolve: (_root, args, { tenant, services }) =>
      toConnection(services.endpoints.list(tenant(), connectionRequest(args)), args),
  }),
  webhookEndpoint: t.field({
    type: WebhookEndpoint,
    nullable: true,
    description: 'One webhook endpoint; null when the tenant has none of that id.',
    authScopes: { read: true },
    args: { id: t.arg.int({ required: true, description: 'Its number.' }) },
    resolve: (_root, { id }, { tenant, services }) => services.endpoints.find(tenant(), id),
  }),
  listWebhookEndpoints: t.field({
    subGraphs: ['v1'],
    type: EndpointPage,
    description: "The customer's webhook endpoints, newest first.",
    authScopes: { read: true },
    args: pageArgs(),
    extensions: endpointRoute({ method: 'GET', path: '', scope: 'read', summary: 'List webhook endpoints' }),
    resolve: async (_root, args, { tenant, services }) =>
      toPage(await services.endpoints.list(tenant(), pageRequest(args))),
  }),
  getWebhookEndpoint: t.field({
    subGraphs: ['v1'],
    type: WebhookEndpoint,
    description: 'One webhook endpoint of the customer.',
    authScopes: { read: true },
    args: { id: t.arg.int({ required: true, description: 'Its number.' }) },
    extensions: endpointRoute({
      method: 'GET',
      path: '/:endpointId',
      params: { endpointId: 'id' },
      scope: 'read',
      summary: 'Get a webhook endpoint',
    }),
    resolve: (_root, { id }, { tenant, services }) => services.endpoints.get(tenant(), id),
  }),
}));

builder.mutationFields((t) => ({
  createWebhookEndpoint: t.field({
    subGraphs: ['graphql', 'v1'],
    type: CreatedEndpoint,
    description:
      'Creates a webhook endpoint; a tenant has 50 at most. Its secret is in this answer and in no other.',
    authScopes: { write: true },
    args: { input: t.arg({ type: CreateInput, required: true, description: 'The endpoint to create.' }) },
    extensions: endpointRoute({
      method: 'POST',
      path: '',
      responseStatus: 201,
      body: 'input',
      scope: 'write',
      summary: 'Create a webhook endpoint',
    }),
    resolve: (_root, { input }, { tenant, services }) =>
      named(services.endpoints.create(tenant(), createInput.parse(input)), { url: 'input.url' }),
  }),
  updateWebhookEndpoint: t.field({
    subGraphs: ['graphql', 'v1'],
    type: WebhookEndpoint,
    description: 'Changes a webhook endpoint.',
    authScopes: { write: true },
    args: {
      id: t.arg.int({ required: true, description: 'The endpoint to change.' }),
      input: t.arg({ type: UpdateInput, required: true, description: 'What to change of it.' }),
    },
    extensions: endpointRoute({
      method: 'PATCH',
      path: '/:endpointId',
      params: { endpointId: 'id' },
      body: 'input',
      scope: 'write',
      summary: 'Change a webhook endpoint',
    }),
    resolve: (_root, { id, input }, { tenant, services }) =>
      named(services.endpoints.update(tenant(), id, updateInput.parse(input)), { url: 'input.url' }),
  }),
  deleteWebhookEndpoint: t.field({
    subGraphs: ['graphql', 'v1'],
    type: DeletedEndpoint,
    description: 'Deletes a webhook endpoint; its waiting deliveries become `cancelled`.',
    authScopes: { write: true },
    args: { id: t.arg.int({ required: true, description: 'The endpoint to delete.' }) },
    extensions: endpointRoute({
      method: 'DELETE',
      path: '/:endpointId',
      params: { endpointId: 'id' },
      scope: 'write',
      summary: 'Delete a webhook endpoint',
    }),
    resolve: (_root, { id }, { tenant, services }) => services.endpoints.remove(tenant(), id),
  }),
  rotateWebhookSecret: t.field({
    subGraphs: ['graphql', 'v1'],
    type: RotatedSecret,
    description: 'Replaces the signing secret of an endpoint. The old secret signs nothing from then on.',
    authScopes: { write: true },
    args: { id: t.arg.int({ required: true, description: 'The endpoint whose secret to replace.' }) },
    extensions: endpointRoute({
      method: 'POST',
      path: '/:endpointId/rotate-secret',
      params: { endpointId: 'id' },
      scope: 'write',
      summary: 'Rotate the signing secret',
    }),
    resolve: (_root, { id }, { tenant, services }) => services.endpoints.rotateSecret(tenant(), id),
  }),
}));
