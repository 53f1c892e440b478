import { AppError } from '../../src/errors/app-error.ts';
import type { Wait } from '../../src/features/webhooks/delivery/delivery.service.ts';
import type {
  DeliveryAttempt as AttemptShape,
  WebhookDelivery as DeliveryShape,
  WebhookDeliveryDetail as DetailShape,
  FailureReason as FailureReasonName,
  HttpHeader as HttpHeaderShape,
} from '../../src/features/webhooks/delivery/delivery.types.ts';
import type { ChangedDelivery } from '../../src/features/webhooks/delivery/delivery-feed.ts';
import type { WAIT_REASONS } from '../../src/features/webhooks/delivery/gate.ts';
import type { DELIVERY_STATUSES } from '../../src/features/webhooks/delivery/state.ts';
import { BATCHED, batchedEdge } from '../batched-edge.ts';
import { builder, GRAPHQL_AND_V1, type SubGraph } from '../builder.ts';
import type { GraphQLContext } from '../context.ts';
import { readableAttempts, readablePayload } from './account-events.ts';

/** Query cost of the envelope of an event; a cost of 1 is up to 1 KiB. */
export const PAYLOAD_COST = 8;

export const DeliveryStatus = builder.enumType('WebhookDeliveryStatus', {
  subGraphs: [...GRAPHQL_AND_V1],
  description:
    'Status of a delivery. `pending` and `retrying` deliveries are still attempted; the other statuses are terminal.',
  values: {
    pending: { description: 'Accepted; the first attempt has not completed.' },
    succeeded: { description: 'An attempt received a 2xx response in time.' },
    retrying: { description: 'An attempt failed, and another one is scheduled or in progress.' },
    failed: {
      description:
        'All scheduled attempts failed, the receiver ended them, or the stored payload cannot be read; see `failureReason`.',
    },
    cancelled: {
      description:
        'The endpoint was deleted or disabled, its backlog was cancelled, or the event was emitted while the endpoint was disabled.',
    },
  } satisfies Record<(typeof DELIVERY_STATUSES)[number], object>,
});

const WaitReason = builder.enumType('WebhookWaitReason', {
  subGraphs: [...GRAPHQL_AND_V1],
  description: 'Reason why an attempt that is due has not begun.',
  values: {
    slot: {
      description:
        'The delivery has no slot yet: those of the endpoint, of the customer or of the service are in use, or the service is late.',
    },
    order: {
      description:
        'An earlier delivery of its conversation is not terminal yet, and the endpoint has `ordering: conversation`.',
    },
    rate_limit: { description: 'The rate limit of the endpoint is exhausted.' },
    circuit: { description: 'The circuit of the endpoint is open: its receiver is down.' },
    paused: { description: 'The endpoint is paused.' },
    suspended: { description: 'The customer is suspended.' },
  } satisfies Record<(typeof WAIT_REASONS)[number], object>,
});

const FailureReason = builder.enumType('WebhookFailureReason', {
  subGraphs: [...GRAPHQL_AND_V1],
  description: 'Reason why a failed delivery has no further attempt.',
  values: {
    exhausted: { description: 'All scheduled attempts failed.' },
    stopped_by_receiver: {
      description:
        'The receiver ended the attempts: HTTP 410, or `stop` or `disable` in the response header `webhook-delivery`.',
    },
    payload_unreadable: {
      description: 'The stored payload was modified or moved, and cannot be decrypted.',
    },
  } satisfies Record<FailureReasonName, object>,
});

const readWait = batchedEdge((deliveries: readonly DeliveryShape[], { services, tenant }) =>
  services.deliveries.waits(tenant(), deliveries),
);

const waitOf = (delivery: DeliveryShape, context: GraphQLContext): Wait | Promise<Wait> =>
  delivery.dueAt === null
    ? { waitingFor: null, nextRetryAt: delivery.nextRetryAt }
    : readWait(delivery, context);

const HttpHeader = builder.objectRef<HttpHeaderShape>('HttpHeader').implement({
  subGraphs: [...GRAPHQL_AND_V1],
  description: 'A header of a request or of a response.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the header.' }),
    value: t.exposeString('value', { description: 'Value of the header; `***` if it may be a secret.' }),
  }),
});

const DeliveryAttempt = builder.objectRef<AttemptShape>('DeliveryAttempt').implement({
  subGraphs: [...GRAPHQL_AND_V1],
  description: 'One attempt to deliver an event.',
  fields: (t) => ({
    number: t.exposeInt('number', {
      description: 'Position in `attempts`, from 1; manual attempts included.',
    }),
    at: t.expose('at', { type: 'DateTime', description: 'Start time of the attempt.' }),
    manual: t.exposeBoolean('manual', {
      description: 'True for a resend, which does not count toward the five scheduled attempts.',
    }),
    probe: t.exposeBoolean('probe', {
      description:
        'True if it probed an endpoint whose circuit was open; then it counts toward the five scheduled attempts only if it succeeded.',
    }),
    responseStatus: t.exposeInt('responseStatus', {
      nullable: true,
      description: 'HTTP status of the response; null if there was none.',
    }),
    responseBody: t.exposeString('responseBody', {
      nullable: true,
      description:
        'First 1 KiB of the response body; null if there was no response, `[unreadable]` if it is encrypted and cannot be decrypted. Null as well, as `responseHeaders`, for an event about the account and a key that is limited to resources: a receiver can repeat the payload.',
    }),
    requestHeaders: t.expose('requestHeaders', {
      type: [HttpHeader],
      nullable: true,
      complexity: { field: 1, multiplier: 1 },
      description:
        'Headers of the request, those of the connection aside; signatures and custom headers are masked. Null for an attempt of an earlier version of the service.',
    }),
    responseHeaders: t.expose('responseHeaders', {
      type: [HttpHeader],
      nullable: true,
      complexity: { field: 1, multiplier: 1 },
      description:
        'Up to 30 headers of the response, together at most 2 KiB, with values cut at 200 characters; those that may be secrets are masked. Null if there was no complete response, and for an attempt of an earlier version of the service.',
    }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Short code of the failure (`timeout`, `http_500`, …); null after a success.',
    }),
    durationMs: t.exposeInt('durationMs', { description: 'Duration of the attempt in milliseconds.' }),
  }),
});

const isDetail = (delivery: DeliveryShape): delivery is DetailShape => 'payload' in delivery;

const isChanged = (delivery: DeliveryShape): delivery is ChangedDelivery => 'detail' in delivery;

/** Details by delivery: fetched once, even if several fields or, in a subscription, several subscribers need them. */
const details = new WeakMap<DeliveryShape, Promise<DetailShape>>();

/** Returns the detail of a delivery; rows of lists and subscriptions come without it. */
function detailOf(
  delivery: DeliveryShape,
  { services, tenant }: GraphQLContext,
): DetailShape | Promise<DetailShape> {
  if (isDetail(delivery)) return delivery;
  let detail = details.get(delivery);
  if (!detail) {
    const read = isChanged(delivery) ? delivery.detail() : services.deliveries.find(tenant(), delivery.id);
    detail = read.then((found) => {
      if (!found) throw new AppError('NOT_FOUND', `Webhook delivery ${delivery.id} no longer exists.`);
      return found;
    });
    details.set(delivery, detail);
  }
  return detail;
}

type FieldBuilder = PothosSchemaTypes.ObjectFieldBuilder<typeof builder.$inferSchemaTypes, DeliveryShape>;

/** Fields of a delivery that lists include. */
const listFields = (t: FieldBuilder) => ({
  id: t.exposeID('id', {
    description: 'ID of the delivery; the header `X-SVC-Delivery-Id` of each request.',
  }),
  endpointId: t.exposeInt('endpointId', { description: 'ID of the endpoint that it is sent to.' }),
  eventId: t.exposeID('eventId', {
    description: 'ID of the event; the header `webhook-id` of each request.',
  }),
  event: t.exposeString('event', { description: 'Name of the event type.' }),
  status: t.expose('status', { type: DeliveryStatus, description: 'Status of the delivery.' }),
  attempt: t.exposeInt('attempt', {
    description:
      'Number of scheduled attempts started, 0 to 5, since the delivery was accepted, recovered or replayed. An attempt that a crash interrupted counts; a manual one (a resend) and a failed probe do not, so `attempts` can have more entries.',
  }),
  nextRetryAt: t.field({
    ...BATCHED,
    type: 'DateTime',
    nullable: true,
    description:
      'Due time of the next attempt, or of the next probe of an endpoint whose circuit is open; null if none is scheduled, or if it is not known how long the delivery waits (`waitingFor`).',
    complexity: 1,
    resolve: async (delivery, _args, context) => (await waitOf(delivery, context)).nextRetryAt,
  }),
  waitingFor: t.field({
    ...BATCHED,
    type: WaitReason,
    nullable: true,
    description: 'Reason why the next attempt, which is due, has not begun; null if none is due.',
    complexity: 1,
    resolve: async (delivery, _args, context) => (await waitOf(delivery, context)).waitingFor,
  }),
  createdAt: t.expose('createdAt', {
    type: 'DateTime',
    description: 'Time at which the event was accepted.',
  }),
  lastAttemptAt: t.expose('lastAttemptAt', {
    type: 'DateTime',
    nullable: true,
    description: 'Start time of the last attempt; null before the first one.',
  }),
  responseStatus: t.exposeInt('responseStatus', {
    nullable: true,
    description: 'HTTP status of the last response; null if there was none.',
  }),
  error: t.exposeString('error', {
    nullable: true,
    description:
      'Short code of the last failure (`timeout`, `connection_refused`, `dns`, `tls`, `blocked_address`, `http_<status>`, `payload_unreadable`, …); null after a success.',
  }),
  failureReason: t.expose('failureReason', {
    type: FailureReason,
    nullable: true,
    description: 'Reason why the delivery has no further attempt; null unless its status is `failed`.',
  }),
  durationMs: t.exposeInt('durationMs', {
    nullable: true,
    description: 'Duration of the last attempt in milliseconds; null before the first one.',
  }),
});

/** Cost of fetching one row on its own. */
const READ_COST = 5;

/** Fields that lists do not include; selecting them fetches each row on its own. */
const detailFields = (t: FieldBuilder, subGraph: SubGraph) => ({
  payload: t.string({
    description:
      'Exact request body as text: a JSON object with `event`, `data` and `ts`. `{"unreadable":true}` if it is encrypted and cannot be decrypted; `{"restricted":true}` for an event about the account, such as `audit.recorded`, and a key that is limited to resources.',
    complexity: READ_COST + PAYLOAD_COST,
    subGraphs: [subGraph],
    resolve: async (delivery, _args, context) =>
      readablePayload(context, delivery.event, (await detailOf(delivery, context)).payload),
  }),
  attempts: t.field({
    type: [DeliveryAttempt],
    description: 'The newest 100 attempts, oldest first.',
    complexity: { field: READ_COST, multiplier: 20 },
    subGraphs: [subGraph],
    resolve: async (delivery, _args, context) =>
      readableAttempts(context, delivery.event, (await detailOf(delivery, context)).attempts),
  }),
  scheduledAttempts: t.int({
    description:
      'Number of scheduled attempts in `attempts`: without failed probes, with those before a recovery or replay.',
    complexity: READ_COST,
    subGraphs: [subGraph],
    resolve: async (delivery, _args, context) => (await detailOf(delivery, context)).scheduledAttempts,
  }),
  manualAttempts: t.int({
    description: 'Number of manual attempts (resends) in `attempts`.',
    complexity: READ_COST,
    subGraphs: [subGraph],
    resolve: async (delivery, _args, context) => (await detailOf(delivery, context)).manualAttempts,
  }),
});

/** A delivery: with all fields in GraphQL, without the details in a REST list. */
export const WebhookDelivery = builder.objectRef<DeliveryShape>('WebhookDelivery').implement({
  subGraphs: [...GRAPHQL_AND_V1],
  description: 'The delivery of one event to one endpoint.',
  fields: (t) => listFields(t),
});
builder.objectFields(WebhookDelivery, (t) => detailFields(t, 'graphql'));

export const WebhookDeliveryDetail = builder.objectRef<DeliveryShape>('WebhookDeliveryDetail').implement({
  subGraphs: ['v1'],
  description: 'The delivery of one event to one endpoint, with the body sent and all attempts.',
  fields: (t) => ({ ...listFields(t), ...detailFields(t, 'v1') }),
});
