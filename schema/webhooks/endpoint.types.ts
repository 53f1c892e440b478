import type {
  DISABLED_REASONS,
  WebhookEndpoint as EndpointShape,
} from '../../src/features/webhooks/endpoints/endpoint.types.ts';
import { builder } from '../builder.ts';

const BOTH = ['graphql', 'v1'] as const;
const SECRET = 'Signing secret: `whsec_` and base64. Returned only once; it cannot be retrieved later.';

const DisabledReason = builder.enumType('WebhookDisabledReason', {
  subGraphs: [...BOTH],
  description: 'Reason why an endpoint is disabled.',
  values: {
    manual: { description: 'A client disabled it.' },
    gone: { description: 'Its receiver responded 410 Gone.' },
    failing: { description: 'Every attempt failed for five days, at least 100 of them.' },
  } satisfies Record<(typeof DISABLED_REASONS)[number], object>,
});

export const WebhookEndpoint = builder.objectRef<EndpointShape>('WebhookEndpoint').implement({
  subGraphs: [...BOTH],
  description: "A URL that receives a customer's events.",
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Numeric ID of the endpoint, unique within the service.' }),
    customerId: t.exposeInt('customerId', { description: 'Customer that the endpoint belongs to.' }),
    url: t.exposeString('url', {
      description: 'URL that deliveries are posted to.',
      extensions: { jsonSchema: { format: 'uri' } },
    }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'Free-text label; null if none was given.',
    }),
    events: t.exposeStringList('events', {
      nullable: true,
      description:
        'Names of the event types that it receives; null if it receives all customer events, future ones included. Operational events (`drift.detected`, `drift.cleared`) are received only if named.',
    }),
    enabled: t.exposeBoolean('enabled', { description: 'True if deliveries are sent to it.' }),
    disabledReason: t.expose('disabledReason', {
      type: DisabledReason,
      nullable: true,
      description: 'Reason why it is disabled; null while it is enabled.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Creation time.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change.' }),
  }),
});

export const CreatedEndpoint = builder
  .objectRef<{ endpoint: EndpointShape; secret: string }>('CreatedWebhookEndpoint')
  .implement({
    subGraphs: [...BOTH],
    description: 'A new webhook endpoint and its signing secret.',
    fields: (t) => ({
      endpoint: t.expose('endpoint', { type: WebhookEndpoint, description: 'The new endpoint.' }),
      secret: t.exposeString('secret', { description: SECRET }),
    }),
  });

export const RotatedSecret = builder
  .objectRef<{ id: number; secret: string }>('RotatedWebhookSecret')
  .implement({
    subGraphs: [...BOTH],
    description: 'The new signing secret of a webhook endpoint.',
    fields: (t) => ({
      id: t.exposeInt('id', { description: 'ID of the endpoint.' }),
      secret: t.exposeString('secret', { description: SECRET }),
    }),
  });

export const DeletedEndpoint = builder
  .objectRef<{ id: number; deleted: true }>('DeletedWebhookEndpoint')
  .implement({
    subGraphs: [...BOTH],
    description: 'Confirmation that a webhook endpoint was deleted.',
    fields: (t) => ({
      id: t.exposeInt('id', { description: 'ID of the deleted endpoint.' }),
      deleted: t.exposeBoolean('deleted', { description: 'Always true.' }),
    }),
  });
