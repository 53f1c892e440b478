import { AppError } from '../../src/errors.ts';
import type {
  DeliveryAttempt as AttemptShape,
  WebhookDelivery as DeliveryShape,
  WebhookDeliveryDetail as DetailShape,
} from '../../src/features/webhooks/delivery/delivery.types.ts';
import type { DELIVERY_STATUSES } from '../../src/features/webhooks/delivery/delivery-state.ts';
import { builder, type SubGraph } from '../builder.ts';
import type { GraphQLContext } from '../context.ts';

const BOTH = ['graphql', 'v1'] as const;

export const DeliveryStatus = builder.enumType('WebhookDeliveryStatus', {
  subGraphs: [...BOTH],
  description: 'How far a delivery is. `pending` and `retrying` wait; the others are terminal.',
  values: {
    pending: { description: 'Accepted; the first attempt has not finished.' },
    succeeded: { description: 'An attempt was answered with a 2xx status in time.' },
    retrying: { description: 'An attempt failed, and another one is due or under way.' },
    failed: { description: 'Every scheduled attempt failed, or the receiver answered 410 Gone.' },
    cancelled: {
      description:
        'The endpoint was deleted or disabled; what came while it was disabled is recorded so too.',
    },
  } satisfies Record<(typeof DELIVERY_STATUSES)[number], object>,
});

const DeliveryAttempt = builder.objectRef<AttemptShape>('DeliveryAttempt').implement({
  subGraphs: [...BOTH],
  description: 'One attempt to deliver an event.',
  fields: (t) => ({
    number: t.exposeInt('number', {
      description: 'Its position among the attempts made, from 1; manual ones count here.',
    }),
    at: t.expose('at', { type: 'DateTime', description: 'When it began.' }),
    manual: t.exposeBoolean('manual', {
      description: 'True for a resend, which is outside the count of five.',
    }),
    responseStatus: t.exposeInt('responseStatus', {
      nullable: true,
      description: 'HTTP status of the answer; null where none came.',
    }),
    responseBody: t.exposeString('responseBody', {
      nullable: true,
      description: 'First 1 KiB of the answer.',
    }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Short code of what went wrong (`timeout`, `http_500`, …); null after a success.',
    }),
    durationMs: t.exposeInt('durationMs', { description: 'How long it took, in milliseconds.' }),
  }),
});

const isDetail = (delivery: DeliveryShape): delivery is DetailShape => 'payload' in delivery;

/** Details by the row that they belong to: read once for a row, however many fields of it need it. */
const details = new WeakMap<DeliveryShape, Promise<DetailShape>>();

/** The detail of a delivery; lists carry their rows without. */
function detailOf(
  delivery: DeliveryShape,
  { services, tenant }: GraphQLContext,
): DetailShape | Promise<DetailShape> {
  if (isDetail(delivery)) return delivery;
  let detail = details.get(delivery);
  if (!detail) {
    detail = services.deliveries.find(tenant(), delivery.id).then((found) => {
      if (!found) throw new AppError('NOT_FOUND', `There is no webhook delivery ${delivery.id} any more.`);
      return found;
    });
    details.set(delivery, detail);
  }
  return detail;
}

type FieldBuilder = PothosSchemaTypes.ObjectFieldBuilder<typeof builder.$inferSchemaTypes, DeliveryShape>;

/** Fields that a delivery has in lists, too. */
const listFields = (t: FieldBuilder) => ({
  id: t.exposeID('id', { description: 'Its identifier; `X-SVC-Delivery-Id` of each request.' }),
  endpointId: t.exposeInt('endpointId', { description: 'The endpoint that it goes to.' }),
  eventId: t.exposeID('eventId', { description: 'The event that it carries; `webhook-id` of each request.' }),
  event: t.exposeString('event', { description: 'Name of the event.' }),
  status: t.expose('status', { type: DeliveryStatus, description: 'How far it is.' }),
  attempt: t.exposeInt('attempt', {
    description:
      'Scheduled attempts begun, 0 to 5; one that a crash cut short counts, a manual one does not.',
  }),
  nextRetryAt: t.expose('nextRetryAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When the next attempt is due; null when none is.',
  }),
  createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the event was accepted.' }),
  lastAttemptAt: t.expose('lastAttemptAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When the last attempt began; null before the first.',
  }),
  responseStatus: t.exposeInt('responseStatus', {
    nullable: true,
    description: 'HTTP status of the last answer; null where none came.',
  }),
  error: t.exposeString('error', {
    nullable: true,
    description:
      'Short code of the last failure (`timeout`, `connection_refused`, `dns`, `tls`, `blocked_address`, `http_<status>`, …); null after a success.',
  }),
  durationMs: t.exposeInt('durationMs', {
    nullable: true,
    description: 'How long the last attempt took, in milliseconds.',
  }),
});

/** What it costs to read a row on its own. */
const READ_COST = 5;

/** Fields that lists come without; a row whose are asked for is read on its own. */
const detailFields = (t: FieldBuilder, subGraph: SubGraph) => ({
  payload: t.string({
    description: 'The exact body that is sent, as text: a JSON object of `event`, `data` and `ts`.',
    complexity: READ_COST,
    subGraphs: [subGraph],
    resolve: async (delivery, _args, context) => (await detailOf(delivery, context)).payload,
  }),
  attempts: t.field({
    type: [DeliveryAttempt],
    description: 'The attempts made so far, oldest first.',
    complexity: { field: READ_COST, multiplier: 5 },
    subGraphs: [subGraph],
    resolve: async (delivery, _args, context) => (await detailOf(delivery, context)).attempts,
  }),
});

/** GraphQL's delivery has everything; a REST list's has no details. */
export const WebhookDelivery = builder.objectRef<DeliveryShape>('WebhookDelivery').implement({
  subGraphs: [...BOTH],
  description: 'One event on its way to one endpoint.',
  fields: (t) => listFields(t),
});
builder.objectFields(WebhookDelivery, (t) => detailFields(t, 'graphql'));

export const WebhookDeliveryDetail = builder.objectRef<DeliveryShape>('WebhookDeliveryDetail').implement({
  subGraphs: ['v1'],
  description: 'One event on its way to one endpoint, with the body sent and the attempts made.',
  fields: (t) => ({ ...listFields(t), ...detailFields(t, 'v1') }),
});
