import type {
  DISABLED_REASONS,
  WebhookEndpoint as EndpointShape,
} from '../../src/features/webhooks/endpoints/endpoint.types.ts';
import { builder } from '../builder.ts';

const BOTH = ['graphql', 'v1'] as const;
const SECRET = 'Signing secret, `whsec_` and base64. Shown once: it cannot be read again.';

const DisabledReason = builder.enumType('WebhookDisabledReason', {
  subGraphs: [...BOTH],
  description: 'Why an endpoint is disabled.',
  values: {
    manual: { description: 'A client disabled it.' },
    gone: { description: 'Its receiver answered 410 Gone.' },
    failing: { description: 'Nothing but failures for five days, a hundred or more of them.' },
  } satisfies Record<(typeof DISABLED_REASONS)[number], object>,
});

export const WebhookEndpoint = builder.objectRef<EndpointShape>('WebhookEndpoint').implement({
  subGraphs: [...BOTH],
  description: 'Where a tenant wants to be told what happened.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Its number, unique within the service.' }),
    customerId: t.exposeInt('customerId', { description: 'The tenant that it belongs to.' }),
    url: t.exposeString('url', { description: 'Address that deliveries are posted to.' }),
    description: t.exposeString('description', { nullable: true, description: 'What the tenant calls it.' }),
    events: t.exposeStringList('events', {
      nullable: true,
      description: 'Names of the events that it receives; null: all of them, those to come too.',
    }),
    enabled: t.exposeBoolean('enabled', { description: 'Whether it is sent anything.' }),
    disabledReason: t.expose('disabledReason', {
      type: DisabledReason,
      nullable: true,
      description: 'Why it is sent nothing; null while it is enabled.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
});

export const CreatedEndpoint = builder
  .objectRef<{ endpoint: EndpointShape; secret: string }>('CreatedWebhookEndpoint')
  .implement({
    subGraphs: [...BOTH],
    description: 'A webhook endpoint just created, and its secret.',
    fields: (t) => ({
      endpoint: t.expose('endpoint', { type: WebhookEndpoint, description: 'The endpoint.' }),
      secret: t.exposeString('secret', { description: SECRET }),
    }),
  });

export const RotatedSecret = builder
  .objectRef<{ id: number; secret: string }>('RotatedWebhookSecret')
  .implement({
    subGraphs: [...BOTH],
    description: 'The new secret of a webhook endpoint.',
    fields: (t) => ({
      id: t.exposeInt('id', { description: 'The endpoint.' }),
      secret: t.exposeString('secret', { description: SECRET }),
    }),
  });

export const DeletedEndpoint = builder
  .objectRef<{ id: number; deleted: true }>('DeletedWebhookEndpoint')
  .implement({
    subGraphs: [...BOTH],
    description: 'A webhook endpoint that is no more.',
    fields: (t) => ({
      id: t.exposeInt('id', { description: 'The endpoint that was.' }),
      deleted: t.exposeBoolean('deleted', { description: 'Always true.' }),
    }),
  });
