import type { PublishedEvent as EventShape } from '../../src/features/outbox/published-events.service.ts';
import type { WebhookDelivery as DeliveryShape } from '../../src/features/webhooks/delivery/delivery.types.ts';
import { MAX_ENDPOINTS } from '../../src/features/webhooks/endpoints/endpoint.types.ts';
import { BATCHED, batchedEdge } from '../batched-edge.ts';
import { builder } from '../builder.ts';
import { pageSize } from '../paging.ts';
import { readablePayload } from './account-events.ts';
import { PAYLOAD_COST, WebhookDelivery } from './delivery.types.ts';
import { WebhookEndpoint } from './endpoint.types.ts';

/** Default number of deliveries of one event; few customers have more endpoints for an event type. */
const DEFAULT_DELIVERIES = 10;

const endpointOf = batchedEdge(async (deliveries: readonly DeliveryShape[], { services, tenant }) => {
  const found = await services.endpoints.findMany(
    tenant(),
    deliveries.map(({ endpointId }) => endpointId),
  );
  return deliveries.map(({ endpointId }) => found.get(endpointId) ?? null);
});

const eventOf = batchedEdge(async (deliveries: readonly DeliveryShape[], { services, tenant }) => {
  const found = await services.publishedEvents.findManyView(
    tenant(),
    deliveries.map(({ eventId }) => eventId),
  );
  return deliveries.map(({ eventId }) => found.get(eventId) ?? null);
});

const deliveriesOf = batchedEdge(async (events: readonly EventShape[], { services, tenant }) => {
  const found = await services.deliveries.ofEvents(
    tenant(),
    events.map(({ id }) => id),
  );
  return events.map(({ id }) => found.get(id) ?? []);
});

type EventFieldBuilder = PothosSchemaTypes.ObjectFieldBuilder<typeof builder.$inferSchemaTypes, EventShape>;

const eventFields = (t: EventFieldBuilder) => ({
  id: t.exposeID('id', { description: 'Identifier of the event; `webhook-id` of its deliveries.' }),
  event: t.exposeString('event', { description: 'Event type.' }),
  payload: t.string({
    description:
      'The envelope: `event`, `data` and `ts` as JSON. The request body of its deliveries has the same bytes. `{"unreadable":true}` if it is encrypted and cannot be decrypted; `{"restricted":true}` for an event about the account, such as `audit.recorded`, and a key that is limited to resources.',
    complexity: PAYLOAD_COST,
    resolve: ({ event, payload }, _args, context) => readablePayload(context, event, payload),
  }),
  conversationId: t.exposeID('conversationId', {
    nullable: true,
    description: 'Conversation that it belongs to; null if it belongs to none.',
  }),
  createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which it was emitted.' }),
});

/** Fields of a published event in GraphQL: of lists, of the timeline of a conversation and of a delivery. */
export const publishedEventFields = (t: EventFieldBuilder) => ({
  ...eventFields(t),
  deliveries: t.field({
    ...BATCHED,
    resource: 'webhooks',
    type: [WebhookDelivery],
    description: `Deliveries of the event by endpoint ID, one per endpoint that it is sent to. An event has at most ${MAX_ENDPOINTS}; it has none if no endpoint received its type.`,
    args: {
      first: t.arg.int({
        defaultValue: DEFAULT_DELIVERIES,
        validate: { schema: pageSize(MAX_ENDPOINTS) },
        description: `Maximum number of deliveries, 1 to ${MAX_ENDPOINTS}.`,
      }),
    },
    complexity: ({ first }) => ({
      field: 1,
      multiplier: Math.min(Math.max(first ?? DEFAULT_DELIVERIES, 1), MAX_ENDPOINTS),
    }),
    resolve: async (event, { first }, context) =>
      (await deliveriesOf(event, context)).slice(0, first ?? DEFAULT_DELIVERIES),
  }),
});

const conversionTypeOf = ({ event, payload }: EventShape): string | null =>
  event === 'conversion.recorded' ? (JSON.parse(payload).data?.conversionType ?? null) : null;

export const WebhookEvent = builder.objectRef<EventShape>('WebhookEvent').implement({
  description: 'A published event. It is kept as long as its deliveries.',
  fields: (t) => ({
    ...publishedEventFields(t),
    conversionType: t.string({
      nullable: true,
      description: 'Type of the conversion, which is its goal unless specified; null for other events.',
      resolve: conversionTypeOf,
    }),
    visitorId: t.exposeString('visitorId', {
      nullable: true,
      description:
        'Visitor of a conversion or a custom event that was recorded with `POST /v1/events` or `recordEvent`; null for other events, whose visitor is that of their conversation.',
    }),
  }),
});

export const PublishedEvent = builder.objectRef<EventShape>('PublishedEvent').implement({
  subGraphs: ['v1'],
  description: 'A published event with its deliveries. It is kept as long as they are.',
  fields: (t) => ({
    ...eventFields(t),
    deliveries: t.field({
      ...BATCHED,
      resource: 'webhooks',
      type: [WebhookDelivery],
      description:
        'Deliveries of the event by endpoint ID, one per endpoint that it is sent to; empty if no endpoint received its type.',
      resolve: (event, _args, context) => deliveriesOf(event, context),
    }),
  }),
});

builder.objectFields(WebhookDelivery, (t) => ({
  endpoint: t.field({
    ...BATCHED,
    subGraphs: ['graphql'],
    type: WebhookEndpoint,
    nullable: true,
    description: 'The endpoint that it is sent to; null if the endpoint was deleted.',
    complexity: 1,
    resolve: (delivery, _args, context) => endpointOf(delivery, context),
  }),
  sourceEvent: t.field({
    ...BATCHED,
    subGraphs: ['graphql'],
    resource: 'events',
    type: WebhookEvent,
    nullable: true,
    description:
      'The event that it delivers, by `eventId`; null if retention has removed it. `event` is the name of its type.',
    complexity: 1,
    resolve: (delivery, _args, context) => eventOf(delivery, context),
  }),
}));
