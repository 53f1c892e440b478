import { z } from 'zod';
import type { WebhookEndpoint as WebhookEndpointShape } from '../../src/features/webhooks/endpoints/endpoint.types.ts';
import { MAX_OVERLAP_SECONDS } from '../../src/features/webhooks/endpoints/endpoint.types.ts';
import { isObject } from '../../src/platform/is-object.ts';
import type { ServiceIssues } from '../argument-issues.ts';
import { builder } from '../builder.ts';
import type { GraphQLContext } from '../context.ts';
import { withArgumentPaths } from '../error-paths.ts';
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
import { permitChange, permitted } from './account-events.ts';
import {
  type CreateEndpoint,
  CreateEndpointInput,
  type UpdateEndpoint,
  UpdateEndpointInput,
} from './endpoint.inputs.ts';
import { CreatedEndpoint, DeletedEndpoint, RotatedSecret, WebhookEndpoint } from './endpoint.types.ts';
import {
  CREATE_ENDPOINT_EXAMPLE,
  ENDPOINT_EXAMPLE,
  ROTATION_EXAMPLE,
  SECRET_EXAMPLE,
  UPDATE_ENDPOINT_EXAMPLE,
} from './webhook-rest-examples.ts';
import { endpointRoute } from './webhook-routes.ts';

/** Passes the revision of an endpoint on to the HTTP layer. */
async function withRevision(
  context: GraphQLContext,
  pending: Promise<WebhookEndpointShape>,
): Promise<WebhookEndpointShape> {
  const endpoint = await pending;
  context.revision = endpoint.revision;
  return endpoint;
}

/** Returns the issues of the fields that have the right type. */
const endpointIssues: ServiceIssues = ({ input }, { endpoints }) => {
  if (!isObject(input)) return [];
  const { url, filter } = input;
  const issues = endpoints.inputIssues({
    ...(typeof url === 'string' && { url }),
    ...(isObject(filter) && { filter }),
  });
  return issues.map(({ path, message }) => ({ path: `input.${path}`, message }));
};

/** Argument path of each field that the service checks. */
const INPUT_PATHS = {
  url: 'input.url',
  events: 'input.events',
  filter: 'input.filter',
  headers: 'input.headers',
  authentication: 'input.authentication',
};

const EndpointConnection = connectionType('WebhookEndpoint', WebhookEndpoint, { rows: 'webhook endpoints' });
const EndpointPage = restPageType('WebhookEndpoint', WebhookEndpoint, { rows: 'webhook endpoints' });

builder.queryFields((t) => ({
  webhookEndpoints: t.field({
    type: EndpointConnection,
    description: "The customer's webhook endpoints, newest first.",
    scope: 'read',
    resource: 'webhooks',
    args: connectionArgs(),
    complexity: connectionCost,
    resolve: (_root, args, { tenant, services }) =>
      toConnection(services.endpoints.list(tenant(), connectionRequest(args)), args),
  }),
  webhookEndpoint: t.field({
    type: WebhookEndpoint,
    nullable: true,
    description: 'A webhook endpoint by its ID; null if the customer has none with that ID.',
    scope: 'read',
    resource: 'webhooks',
    args: { id: t.arg.int({ required: true, description: 'ID of the endpoint.' }) },
    resolve: (_root, { id }, { tenant, services }) => services.endpoints.find(tenant(), id),
  }),
  listWebhookEndpoints: t.field({
    ...endpointRoute({
      method: 'GET',
      path: '',
      scope: 'read',
      resource: 'webhooks',
      summary: 'List webhook endpoints',
      example: { response: { data: [ENDPOINT_EXAMPLE], nextCursor: null, hasMore: false } },
    }),
    type: EndpointPage,
    description: "The customer's webhook endpoints, newest first.",
    args: restPageArgs(),
    resolve: async (_root, args, { tenant, services }) =>
      toRestPage(await services.endpoints.list(tenant(), restPageRequest(args))),
  }),
  getWebhookEndpoint: t.field({
    ...endpointRoute({
      method: 'GET',
      path: '/:endpointId',
      params: { endpointId: 'id' },
      validator: 'revision',
      scope: 'read',
      resource: 'webhooks',
      summary: 'Get a webhook endpoint',
      example: { response: ENDPOINT_EXAMPLE },
    }),
    type: WebhookEndpoint,
    description: 'A webhook endpoint of the customer.',
    args: { id: t.arg.int({ required: true, description: 'ID of the endpoint.' }) },
    resolve: (_root, { id }, context) =>
      withRevision(context, context.services.endpoints.get(context.tenant(), id)),
  }),
}));

builder.mutationFields((t) => ({
  createWebhookEndpoint: t.field({
    ...endpointRoute({
      graphql: true,
      commitsOnce: true,
      method: 'POST',
      path: '',
      responseStatus: 201,
      createdId: (response) => (response as { endpoint: WebhookEndpointShape }).endpoint.id,
      body: 'input',
      scope: 'write',
      resource: 'webhooks',
      serviceIssues: endpointIssues,
      summary: 'Create a webhook endpoint',
      errors: { CONFLICT: 'The customer already has the maximum of 50 webhook endpoints.' },
      example: {
        body: CREATE_ENDPOINT_EXAMPLE,
        response: { endpoint: ENDPOINT_EXAMPLE, secret: SECRET_EXAMPLE },
      },
    }),
    type: CreatedEndpoint,
    description:
      'Creates a webhook endpoint; a customer can have at most 50. The signing secret is returned only once, in this response. If verification is required, the receiver has to confirm the URL first by the answer to the event `endpoint.verification`.',
    args: {
      input: t.arg({ type: CreateEndpointInput, required: true, description: 'Settings of the endpoint.' }),
    },
    resolve: (_root, { input }, context, info) =>
      withArgumentPaths(
        permitted(context, info, input.events, () =>
          context.services.endpoints.create(context.tenant(), input as CreateEndpoint, {
            idempotency: context.idempotency,
          }),
        ),
        INPUT_PATHS,
      ),
  }),
  updateWebhookEndpoint: t.field({
    ...endpointRoute({
      graphql: true,
      method: 'PATCH',
      path: '/:endpointId',
      params: { endpointId: 'id' },
      body: 'input',
      validator: 'revision',
      scope: 'write',
      resource: 'webhooks',
      serviceIssues: endpointIssues,
      summary: 'Update a webhook endpoint',
      example: { body: UPDATE_ENDPOINT_EXAMPLE, response: ENDPOINT_EXAMPLE },
    }),
    type: WebhookEndpoint,
    description:
      'Updates a webhook endpoint. If verification is required, the receiver has to confirm a new URL first, as at creation.',
    args: {
      id: t.arg.int({ required: true, description: 'ID of the endpoint.' }),
      input: t.arg({ type: UpdateEndpointInput, required: true, description: 'Changes to apply.' }),
    },
    resolve: (_root, { id, input }, context, info) =>
      withRevision(
        context,
        withArgumentPaths(
          context.services.endpoints.update(context.tenant(), id, {
            patch: input as UpdateEndpoint,
            expectedRevisions: context.expectedRevisions,
            permit: (current) => permitChange(context, info, { current, patch: input as UpdateEndpoint }),
          }),
          INPUT_PATHS,
        ),
      ),
  }),
  deleteWebhookEndpoint: t.field({
    ...endpointRoute({
      graphql: true,
      method: 'DELETE',
      path: '/:endpointId',
      params: { endpointId: 'id' },
      scope: 'write',
      resource: 'webhooks',
      summary: 'Delete a webhook endpoint',
      example: { response: { id: ENDPOINT_EXAMPLE.id, deleted: true } },
    }),
    type: DeletedEndpoint,
    description: 'Deletes a webhook endpoint; its pending deliveries become `cancelled`.',
    args: { id: t.arg.int({ required: true, description: 'ID of the endpoint.' }) },
    resolve: (_root, { id }, { tenant, services }) => services.endpoints.remove(tenant(), id),
  }),
  rotateWebhookSecret: t.field({
    ...endpointRoute({
      graphql: true,
      commitsOnce: true,
      method: 'POST',
      path: '/:endpointId/rotate-secret',
      params: { endpointId: 'id' },
      scope: 'write',
      resource: 'webhooks',
      summary: 'Rotate the signing secret',
      example: ROTATION_EXAMPLE,
    }),
    type: RotatedSecret,
    description:
      'Replaces the signing secret of an endpoint, and its key pair if `signing` is `ed25519`. With an overlap, the previous ones sign as well until it ends, so that a receiver can change over without rejecting a delivery; otherwise they stop being used immediately, also those of an earlier rotation whose overlap has not ended.',
    args: {
      id: t.arg.int({ required: true, description: 'ID of the endpoint.' }),
      overlapSeconds: t.arg.int({
        defaultValue: 0,
        validate: { schema: z.int().min(0).max(MAX_OVERLAP_SECONDS) },
        description: 'Time for which the previous secret signs as well; at most 604,800 seconds, a week.',
      }),
    },
    resolve: (_root, { id, overlapSeconds }, { tenant, services, idempotency }) =>
      services.endpoints.rotateSecret(tenant(), id, { overlapSeconds: overlapSeconds ?? 0, idempotency }),
  }),
}));
