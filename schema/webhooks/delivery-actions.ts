import { builder } from '../builder.ts';
import { WebhookDelivery } from './delivery.types.ts';
import { eventName } from './event-types.ts';
import { deliveryRoute } from './routes.ts';

const RecoveredDeliveries = builder.objectRef<{ queued: number }>('RecoveredDeliveries').implement({
  subGraphs: ['graphql', 'v1'],
  description: 'What a recovery has set going.',
  fields: (t) => ({
    queued: t.exposeInt('queued', { description: 'How many deliveries will be sent again.' }),
  }),
});

builder.mutationFields((t) => ({
  resendWebhookDelivery: t.field({
    subGraphs: ['graphql', 'v1'],
    type: WebhookDelivery,
    description:
      'Makes one more attempt at once, of a terminal delivery too, outside the count of five. A success makes it `succeeded`; a failure leaves status and schedule as they were. A `CONFLICT` while an attempt is under way or the endpoint is disabled.',
    authScopes: { write: true },
    args: {
      id: t.arg.id({ required: true, description: 'The delivery to send again.' }),
      endpointId: t.arg.int({ subGraphs: ['v1'], description: 'The endpoint that it goes to.' }),
    },
    extensions: deliveryRoute({
      method: 'POST',
      path: '/deliveries/:deliveryId/resend',
      params: { deliveryId: 'id' },
      responseStatus: 202,
      scope: 'write',
      summary: 'Send a delivery again',
    }),
    resolve: (_root, { id, endpointId }, { tenant, services }) =>
      services.deliveries.resend(tenant(), endpointId ?? null, id),
  }),
  recoverWebhookDeliveries: t.field({
    subGraphs: ['graphql', 'v1'],
    type: RecoveredDeliveries,
    description:
      'Sends all failed and cancelled deliveries of a span again, from `pending` and attempt 0, in batches. One recovery at a time for an endpoint; more is a `CONFLICT`.',
    authScopes: { write: true },
    args: {
      endpointId: t.arg.int({ required: true, description: 'The endpoint that missed them.' }),
      since: t.arg({
        type: 'DateTime',
        required: true,
        description: 'Start of the span, at most 30 days ago.',
      }),
      until: t.arg({ type: 'DateTime', description: 'End of the span; without it, now.' }),
    },
    extensions: deliveryRoute({
      method: 'POST',
      path: '/recover',
      responseStatus: 202,
      scope: 'write',
      summary: 'Send missed deliveries again',
    }),
    resolve: (_root, { endpointId, since, until }, { tenant, services }) =>
      services.recoveries.start(tenant(), endpointId, { since, until: until ?? null }),
  }),
  sendTestWebhook: t.field({
    subGraphs: ['graphql', 'v1'],
    type: WebhookDelivery,
    description: 'Sends an endpoint a sample event, marked by `data.test: true`; ten a minute at most.',
    authScopes: { write: true },
    args: {
      endpointId: t.arg.int({ required: true, description: 'The endpoint to try.' }),
      event: t.arg.string({
        required: true,
        description: 'The kind of event to send a sample of.',
        validate: { schema: eventName },
      }),
    },
    extensions: deliveryRoute({
      method: 'POST',
      path: '/test',
      responseStatus: 202,
      scope: 'write',
      summary: 'Send a test event',
    }),
    resolve: (_root, { endpointId, event }, { tenant, services }) =>
      services.testEvents.send(tenant(), endpointId, eventName.parse(event)),
  }),
}));
