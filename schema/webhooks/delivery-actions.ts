import { z } from 'zod';
import type { RecoveredDeliveries as RecoveredShape } from '../../src/features/webhooks/delivery/sweep/recovery.service.ts';
import { text } from '../../src/platform/text-validation.ts';
import { builder, GRAPHQL_AND_V1 } from '../builder.ts';
import { objectId } from '../object-id.ts';
import { permitted } from './account-events.ts';
import { DeliveryStatus, WebhookDelivery } from './delivery.types.ts';
import { eventName, validatedName } from './event-types.ts';
import { EVENT_NAME_EXAMPLE, QUEUED_DELIVERY_EXAMPLE, TEST_DATA_EXAMPLE } from './webhook-rest-examples.ts';
import { deliveryRoute } from './webhook-routes.ts';

const RecoveredDeliveries = builder.objectRef<RecoveredShape>('RecoveredDeliveries').implement({
  subGraphs: GRAPHQL_AND_V1,
  description: 'The result of starting a recovery, or of its dry run.',
  fields: (t) => ({
    queued: t.exposeInt('queued', {
      description: 'Number of deliveries that will be sent again or, in a dry run, that would be.',
    }),
    open: t.exposeInt('open', {
      description:
        'Number of `pending` and `retrying` deliveries of the time range, which a recovery leaves as they are.',
    }),
  }),
});

const ReplayedDeliveries = builder.objectRef<{ count: number }>('ReplayedDeliveries').implement({
  subGraphs: GRAPHQL_AND_V1,
  description: 'The result of starting a replay, or of its dry run.',
  fields: (t) => ({
    count: t.exposeInt('count', {
      description: 'Number of deliveries that will be sent again or, in a dry run, that would be.',
    }),
  }),
});

const RetriedBacklog = builder.objectRef<{ count: number }>('RetriedWebhookBacklog').implement({
  subGraphs: GRAPHQL_AND_V1,
  description: 'The result of retrying a backlog, or of its dry run.',
  fields: (t) => ({
    count: t.exposeInt('count', {
      description: 'Number of deliveries whose retry is due now or, in a dry run, that would be.',
    }),
  }),
});

const CancelledBacklog = builder.objectRef<{ cancelled: number }>('CancelledWebhookBacklog').implement({
  subGraphs: GRAPHQL_AND_V1,
  description: 'The result of cancelling a backlog.',
  fields: (t) => ({
    cancelled: t.exposeInt('cancelled', {
      description: 'Number of cancelled deliveries and cancelled resends.',
    }),
  }),
});

/** Maximum number of ids in the selection of a replay. */
const MAX_IDS = 500;

const ids = z.array(objectId).min(1, 'Must name at least one.').max(MAX_IDS, `Must name at most ${MAX_IDS}.`);

builder.mutationFields((t) => ({
  resendWebhookDelivery: t.field({
    ...deliveryRoute({
      graphql: true,
      method: 'POST',
      path: '/deliveries/:deliveryId/resend',
      params: { deliveryId: 'id' },
      responseStatus: 202,
      scope: 'write',
      resource: 'webhooks',
      summary: 'Resend a delivery',
      errors: { CONFLICT: 'An attempt of the delivery is in progress, or its endpoint is disabled.' },
      example: { response: QUEUED_DELIVERY_EXAMPLE },
    }),
    type: WebhookDelivery,
    description:
      'Makes one more attempt immediately, even if the delivery is terminal; it does not count toward the five scheduled attempts. A success sets the status to `succeeded`; a failure leaves status and schedule unchanged. Returns `CONFLICT` while an attempt is in progress or the endpoint is disabled.',
    args: {
      id: t.arg.id({ required: true, description: 'ID of the delivery.' }),
      endpointId: t.arg.int({ subGraphs: ['v1'], description: 'ID of the endpoint.' }),
    },
    resolve: (_root, { id, endpointId }, { tenant, services }) =>
      services.deliveries.resend(tenant(), { deliveryId: id, endpointId: endpointId ?? undefined }),
  }),
  recoverWebhookDeliveries: t.field({
    ...deliveryRoute({
      graphql: true,
      method: 'POST',
      path: '/recover',
      responseStatus: 202,
      scope: 'write',
      resource: 'webhooks',
      summary: 'Recover missed deliveries',
      errors: {
        CONFLICT: 'A recovery or replay of the endpoint is in progress, or the endpoint is disabled.',
      },
      example: {
        // With both ends, since only the length of the range is limited: the example never expires.
        body: { since: '2026-01-30T00:00:00.000Z', until: '2026-01-31T00:00:00.000Z' },
        response: { queued: 128, open: 3 },
      },
    }),
    type: RecoveredDeliveries,
    description:
      'Resets every failed and cancelled delivery of a time range to `pending` with attempt 0 and sends them again in batches. Returns `CONFLICT` while a recovery or replay of the endpoint is in progress or the endpoint is disabled, except for a dry run.',
    args: {
      endpointId: t.arg.int({ required: true, description: 'ID of the endpoint.' }),
      since: t.arg({
        type: 'DateTime',
        required: true,
        description:
          'Start of the time range of the creation times of deliveries. The range has at most 30 days; deliveries of any age that are still stored can be recovered, 30 days at a time.',
      }),
      until: t.arg({ type: 'DateTime', description: 'End of the time range, inclusive; default: now.' }),
      dryRun: t.arg.boolean({
        defaultValue: false,
        description: 'True to count the deliveries without sending them.',
      }),
    },
    resolve: (_root, { endpointId, ...input }, { tenant, services }) =>
      services.recoveries.start(tenant(), endpointId, input),
  }),
  replayWebhookDeliveries: t.field({
    ...deliveryRoute({
      graphql: true,
      method: 'POST',
      path: '/replay',
      responseStatus: 202,
      scope: 'write',
      resource: 'webhooks',
      summary: 'Replay deliveries',
      errors: {
        CONFLICT: 'A recovery or replay of the endpoint is in progress, or the endpoint is disabled.',
      },
      example: {
        body: {
          since: '2026-01-30T00:00:00.000Z',
          until: '2026-01-31T00:00:00.000Z',
          status: 'succeeded',
          dryRun: true,
        },
        response: { count: 128 },
      },
    }),
    type: ReplayedDeliveries,
    description:
      'Sends a selection of deliveries again, succeeded ones too: each starts again from `pending` and attempt 0. Every condition that is given must match; `since`, `deliveryIds` or `eventIds` is required. Deliveries that are still attempted are left out. They are sent in batches and take turns with new deliveries. Returns `CONFLICT` while a recovery or replay of the endpoint is in progress or the endpoint is disabled, except for a dry run.',
    args: {
      endpointId: t.arg.int({ required: true, description: 'ID of the endpoint.' }),
      since: t.arg({
        type: 'DateTime',
        description:
          'Start of the time range of the creation times of deliveries; the range has at most 30 days.',
      }),
      until: t.arg({ type: 'DateTime', description: 'End of the time range, inclusive; default: now.' }),
      status: t.arg({
        type: DeliveryStatus,
        description:
          'Only deliveries with this status: `succeeded`, `failed` or `cancelled`; default: all of these.',
      }),
      deliveryIds: t.arg.idList({
        description: `Only deliveries with these IDs, at most ${MAX_IDS}; those of other endpoints are ignored.`,
        validate: { schema: ids },
      }),
      eventIds: t.arg.idList({
        description: `Only deliveries of events with these IDs, at most ${MAX_IDS}.`,
        validate: { schema: ids },
      }),
      dryRun: t.arg.boolean({
        defaultValue: false,
        description: 'True to count the deliveries without sending them.',
      }),
    },
    resolve: (_root, { endpointId, ...input }, { tenant, services }) =>
      services.recoveries.replay(tenant(), endpointId, input),
  }),
  retryWebhookBacklog: t.field({
    ...deliveryRoute({
      graphql: true,
      method: 'POST',
      path: '/retry-backlog',
      responseStatus: 202,
      scope: 'write',
      resource: 'webhooks',
      summary: 'Retry the backlog of an endpoint',
      errors: { CONFLICT: 'The endpoint is disabled.' },
      example: {
        body: { since: '2026-01-30T00:00:00.000Z', error: 'timeout', dryRun: true },
        response: { count: 128 },
      },
    }),
    type: RetriedBacklog,
    description:
      'Makes the scheduled retries of `retrying` deliveries due now, oldest delivery first, within the slots and the rate limit of the endpoint. Use it when the receiver accepts deliveries again. Each is the next of the five attempts. Every condition that is given must match; without one, all scheduled retries are due.',
    args: {
      endpointId: t.arg.int({ required: true, description: 'ID of the endpoint.' }),
      since: t.arg({ type: 'DateTime', description: 'Start of the time range of the creation times.' }),
      until: t.arg({ type: 'DateTime', description: 'End of the time range, inclusive.' }),
      event: t.arg.string({
        description: 'Only deliveries of this event type.',
        validate: { schema: eventName },
      }),
      error: t.arg.string({
        description: 'Only deliveries whose last attempt failed with this code, such as `timeout`.',
        validate: { schema: text({ max: 100 }) },
      }),
      dryRun: t.arg.boolean({
        defaultValue: false,
        description: 'True to count the deliveries without retrying them.',
      }),
    },
    resolve: (_root, { endpointId, event, ...input }, { tenant, services }) =>
      services.retryBacklog.retry(tenant(), endpointId, {
        ...input,
        event: event == null ? null : validatedName(event),
      }),
  }),
  cancelWebhookBacklog: t.field({
    ...deliveryRoute({
      graphql: true,
      method: 'POST',
      path: '/cancel-backlog',
      scope: 'write',
      resource: 'webhooks',
      summary: 'Cancel the backlog of an endpoint',
      example: { response: { cancelled: 128 } },
    }),
    type: CancelledBacklog,
    description:
      'Cancels the open deliveries of an endpoint that were accepted so far, those that wait for a retry and resends of terminal ones included, and ends a recovery or replay. Attempts in progress are not interrupted. Events that are accepted later are delivered.',
    args: { endpointId: t.arg.int({ required: true, description: 'ID of the endpoint.' }) },
    resolve: (_root, { endpointId }, { tenant, services }) =>
      services.endpoints.cancelBacklog(tenant(), endpointId),
  }),
  sendTestWebhook: t.field({
    ...deliveryRoute({
      graphql: true,
      method: 'POST',
      path: '/test',
      responseStatus: 202,
      scope: 'write',
      resource: 'webhooks',
      summary: 'Send a test event',
      errors: { CONFLICT: 'The endpoint is disabled.' },
      example: {
        body: { event: EVENT_NAME_EXAMPLE, data: TEST_DATA_EXAMPLE },
        response: QUEUED_DELIVERY_EXAMPLE,
      },
    }),
    type: WebhookDelivery,
    description:
      'Sends a sample event, marked by `data.test: true`, to an endpoint; at most ten per minute. Its data is the example of the event type, unless `data` is given.',
    args: {
      endpointId: t.arg.int({ required: true, description: 'ID of the endpoint.' }),
      event: t.arg.string({
        required: true,
        description:
          'Name of the event type to send a sample of; `custom.*` sends the example of the catalog, a `custom.page.viewed`.',
        validate: { schema: eventName },
      }),
      data: t.arg({
        type: 'JSON',
        description:
          'Data of the sample, by the schema of the event type; `properties` of a custom event have at most 16 KiB of JSON and five levels; `customerId`, `orgId` and `test` are set by the service. Default: the example of the event type.',
        validate: { schema: z.record(z.string(), z.unknown()) },
      }),
    },
    resolve: (_root, { endpointId, event, data }, context, info) =>
      permitted(context, info, [event], () =>
        context.services.testEvents.send(context.tenant(), endpointId, {
          event: validatedName(event),
          data: data as Record<string, unknown> | null,
        }),
      ),
  }),
}));
