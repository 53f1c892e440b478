import { z } from 'zod';
import {
  EXPLANATION_REASONS,
  type DeliveryExplanation as ExplanationShape,
} from '../../src/features/webhooks/delivery/explanation.service.ts';
import { MAX_INT32 } from '../../src/shared/int32.ts';
import { builder, GRAPHQL_AND_V1 } from '../builder.ts';
import { isReadable } from './account-events.ts';
import { DeliveryStatus } from './delivery.types.ts';
import { EXPLANATION_EXAMPLE } from './webhook-rest-examples.ts';
import { eventRoute } from './webhook-routes.ts';

/** A string on every surface: generated code of some languages has room for a value in one enumeration only. */
const REASONS = Object.keys(EXPLANATION_REASONS)
  .map((reason) => `\`${reason}\``)
  .join(', ');

const endpointNumber = z
  .int()
  .min(1, 'Must be a positive integer.')
  .max(MAX_INT32, `Must be at most ${MAX_INT32}.`);

const DeliveryExplanation = builder.objectRef<ExplanationShape>('DeliveryExplanation').implement({
  subGraphs: [...GRAPHQL_AND_V1],
  description: 'Why an endpoint received an event, or did not, with the facts that it follows from.',
  fields: (t) => ({
    eventId: t.exposeID('eventId', { description: 'ID of the event, as asked for.' }),
    endpointId: t.exposeInt('endpointId', { description: 'ID of the endpoint, as asked for.' }),
    reason: t.exposeString('reason', { description: `Code of the reason: ${REASONS}.` }),
    message: t.exposeString('message', {
      description: 'The reason with its facts, in one or two sentences.',
    }),
    event: t.exposeString('event', {
      nullable: true,
      description: 'Name of the event type; null if there is no such event.',
    }),
    clause: t.exposeString('clause', {
      nullable: true,
      description:
        'First clause of the filter that the event did not fulfil, such as `data.value $gte 100`; null unless the reason is `filtered_out`.',
    }),
    value: t.exposeString('value', {
      nullable: true,
      description:
        'Value in the event of the path in `clause`, as JSON; null unless the clause names one path, and for an event about the account, such as `audit.recorded`, and a key that is limited to resources.',
    }),
    deliveryId: t.exposeID('deliveryId', {
      nullable: true,
      description: 'ID of the delivery; null if the event has none to this endpoint.',
    }),
    status: t.expose('status', {
      type: DeliveryStatus,
      nullable: true,
      description: 'Status of the delivery; null if there is none.',
    }),
    attempt: t.exposeInt('attempt', {
      nullable: true,
      description: 'Number of scheduled attempts started, 0 to 5; null if there is no delivery.',
    }),
    lastAttemptAt: t.expose('lastAttemptAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'Start time of the last attempt that succeeded, otherwise of the last one; null before the first one.',
    }),
    responseStatus: t.exposeInt('responseStatus', {
      nullable: true,
      description: 'HTTP status of the response to that attempt; null if there was none.',
    }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Short code of the failure of that attempt; null if it succeeded or there was none.',
    }),
    durationMs: t.exposeInt('durationMs', {
      nullable: true,
      description: 'Duration of that attempt in milliseconds; null before the first one.',
    }),
    nextRetryAt: t.expose('nextRetryAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Due time of the next attempt; null if none is scheduled or the time is unknown.',
    }),
  }),
});

builder.queryField('explainDelivery', (t) =>
  t.field({
    ...eventRoute({
      graphql: true,
      method: 'GET',
      path: '/:eventId/explain',
      scope: 'read',
      resource: 'webhooks',
      summary: 'Explain why an endpoint received an event, or did not',
      example: { query: { endpointId: EXPLANATION_EXAMPLE.endpointId }, response: EXPLANATION_EXAMPLE },
    }),
    type: DeliveryExplanation,
    description:
      'Explains why an endpoint received an event, or did not. An event that the customer does not have is the reason `no_such_event`, not an error.',
    complexity: 5,
    args: {
      eventId: t.arg.id({ required: true, description: 'ID of the event.' }),
      endpointId: t.arg.int({
        required: true,
        description: 'ID of the endpoint.',
        validate: { schema: endpointNumber },
      }),
    },
    resolve: (_root, { eventId, endpointId }, context) =>
      context.services.explanations.explain(context.tenant(), {
        ...{ eventId, endpointId },
        isReadable: (event) => isReadable(context, event),
      }),
  }),
);
