import { isObjectIdText } from '../../../platform/mongo/object-id.ts';
import { type EventTypeName, typeNameOf } from '../../outbox/event-type.ts';
import type { EventDoc } from '../../outbox/outbox-event.model.ts';
import type { OutboxEventStore } from '../../outbox/outbox-event.store.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import type { EndpointDoc } from '../endpoints/endpoint.model.ts';
import type { EndpointStore } from '../endpoints/endpoint.store.ts';
import { endpointNotFound, requireEndpoint } from '../endpoints/endpoint-errors.ts';
import { clauseValue } from '../endpoints/filter-evaluation.ts';
import { isSubscribed } from '../endpoints/subscription.ts';
import { type DeliveryDoc, failureReasonOf, toDelivery } from './delivery.model.ts';
import type { DeliveryService, Wait } from './delivery.service.ts';
import type { DeliveryStore } from './delivery.store.ts';
import type { DeliveryStatus } from './state.ts';

/** Why an endpoint received an event, or did not. */
export const EXPLANATION_REASONS = {
  no_such_event: 'The customer has no event with this ID, or retention has removed it.',
  not_subscribed: 'The endpoint does not receive the type of the event, or did not when it was emitted.',
  filtered_out: 'The filter of the endpoint left out the event.',
  endpoint_created_later: 'The endpoint was created after the event was emitted.',
  endpoint_deleted: 'The endpoint was deleted.',
  about_this_endpoint: 'The event is about the endpoint, and is sent to other endpoints only.',
  other_recipient: 'The event is a test event of another endpoint.',
  disabled: 'The endpoint was disabled when the event was emitted.',
  paused: 'The endpoint is paused.',
  circuit_open: 'The circuit of the endpoint is open.',
  customer_suspended: 'The customer is suspended.',
  waiting_for_slot: 'All slots of the endpoint, of the customer or of the service are in use.',
  waiting_for_rate_limit: 'The rate limit of the endpoint is exhausted.',
  waiting_for_order: 'An earlier delivery of the same order is not finished.',
  pending: 'The delivery is stored, or an attempt is in progress.',
  retrying: 'An attempt failed, and another one is scheduled.',
  exhausted: 'All scheduled attempts failed.',
  stopped_by_receiver: 'The receiver ended the attempts.',
  address_refused: 'The service does not send to the address of the endpoint.',
  proxy_failed: 'The proxy of the service did not connect to the receiver.',
  token_failed: 'The token for the receiver could not be fetched.',
  certificate_failed: 'The client certificate of the endpoint could not be used.',
  payload_unreadable: 'The stored payload of the event was modified or moved, and cannot be decrypted.',
  cancelled: 'The delivery was cancelled after the event was emitted.',
  delivered: 'An attempt received a 2xx response in time.',
} as const;
export type ExplanationReason = keyof typeof EXPLANATION_REASONS;

/** Why an endpoint received an event, or did not, with the facts that it follows from; null where one does not apply. */
export interface DeliveryExplanation {
  eventId: string;
  endpointId: number;
  reason: ExplanationReason;
  message: string;
  event: EventTypeName | null;
  /** Clause of the filter that the event did not fulfil. */
  clause: string | null;
  /** Value of the clause's path in the event, as JSON. */
  value: string | null;
  deliveryId: string | null;
  status: DeliveryStatus | null;
  /** Scheduled attempts begun. */
  attempt: number | null;
  /** Start of the last attempt that succeeded, otherwise of the last one. */
  lastAttemptAt: Date | null;
  responseStatus: number | null;
  error: string | null;
  durationMs: number | null;
  nextRetryAt: Date | null;
}

interface Question {
  eventId: string;
  endpointId: number;
  /** Returns whether the caller may read the data of an event; by default, of every event. */
  isReadable?: (event: EventTypeName) => boolean;
}

type Cause = Pick<DeliveryExplanation, 'reason' | 'message'> & Partial<DeliveryExplanation>;

interface Deps {
  events: Pick<OutboxEventStore, 'findView'>;
  endpoints: Pick<EndpointStore, 'find'>;
  deliveries: Pick<DeliveryStore, 'ofEndpoint'>;
  waits: DeliveryService['waits'];
}

/** Reasons by what a due delivery waits for. */
const BY_WAIT: Readonly<Record<string, ExplanationReason>> = {
  slot: 'waiting_for_slot',
  rate_limit: 'waiting_for_rate_limit',
  paused: 'paused',
  suspended: 'customer_suspended',
  circuit: 'circuit_open',
  order: 'waiting_for_order',
};

/** Reasons by the first part of the code of an attempt's error. */
const BY_ERROR: Readonly<Record<string, ExplanationReason>> = {
  blocked: 'address_refused',
  proxy: 'proxy_failed',
  oauth: 'token_failed',
  mtls: 'certificate_failed',
};

const UNKNOWN = {
  event: null,
  clause: null,
  value: null,
  deliveryId: null,
  status: null,
  attempt: null,
  lastAttemptAt: null,
  responseStatus: null,
  error: null,
  durationMs: null,
  nextRetryAt: null,
} as const;

const at = (time: Date): string => time.toISOString();

/** Explains an event that has a delivery to the endpoint. @param endpoint null if it was deleted */
function causeOfState(delivery: DeliveryDoc, endpoint: EndpointDoc | null, wait: Wait): Cause {
  switch (delivery.status) {
    case 'succeeded':
      return delivered(delivery);
    case 'failed':
      return failed(delivery);
    case 'cancelled':
      return cancelled(delivery, endpoint);
    case 'pending':
    case 'retrying':
      return open(delivery, wait);
  }
}

function delivered({ attempts, createdAt }: DeliveryDoc): Cause {
  const index = attempts.findLastIndex(({ error }) => error === null);
  const made = attempts[index];
  // The log keeps the last attempts only.
  if (!made) return { reason: 'delivered', message: `The event of ${at(createdAt)} was delivered.` };
  const { at: lastAttemptAt, responseStatus, durationMs } = made;
  return {
    reason: 'delivered',
    message: `Attempt ${index + 1} at ${at(lastAttemptAt)} received HTTP ${responseStatus} after ${durationMs} ms.`,
    lastAttemptAt,
    responseStatus,
    error: null,
    durationMs,
  };
}

const reasonOfError = (error: string | null): ExplanationReason | undefined =>
  BY_ERROR[error?.split('_')[0] ?? ''];

function failed(delivery: DeliveryDoc): Cause {
  const { attempt, error, lastAttemptAt } = delivery;
  const last = `the last error, at ${lastAttemptAt ? at(lastAttemptAt) : 'an unknown time'}, is ${error}`;
  const reason = failureReasonOf(delivery);
  if (reason === 'payload_unreadable') return { reason, message: EXPLANATION_REASONS[reason] };
  if (reason === 'stopped_by_receiver')
    return {
      reason,
      message: `The receiver ended the attempts after ${attempt}; ${last}.`,
    };
  return { reason: reasonOfError(error) ?? 'exhausted', message: `All ${attempt} attempts failed; ${last}.` };
}

function cancelled({ attempt, createdAt, finishedAt }: DeliveryDoc, endpoint: EndpointDoc | null): Cause {
  if (attempt === 0 && finishedAt?.getTime() === createdAt.getTime())
    return {
      reason: 'disabled',
      message: `The endpoint was disabled at ${at(createdAt)}; recover sends the delivery once it is enabled.`,
    };
  const when = finishedAt ? ` at ${at(finishedAt)}` : '';
  return endpoint
    ? {
        reason: 'cancelled',
        message: `The delivery was cancelled${when}: its endpoint was disabled, or its backlog cancelled.`,
      }
    : { reason: 'endpoint_deleted', message: `The delivery was cancelled${when}: its endpoint was deleted.` };
}

function open({ status, attempt, error, lease }: DeliveryDoc, { waitingFor, nextRetryAt }: Wait): Cause {
  const failure = error === null ? '' : ` The last error is ${error}.`;
  const reason = waitingFor === null ? undefined : BY_WAIT[waitingFor];
  if (reason) {
    const until = nextRetryAt ? ` The next attempt is due at ${at(nextRetryAt)}.` : '';
    return { reason, message: `${EXPLANATION_REASONS[reason]}${failure}${until}`, nextRetryAt };
  }
  if (lease !== undefined)
    return {
      reason: status === 'pending' ? 'pending' : (reasonOfError(error) ?? 'retrying'),
      message: `Attempt ${attempt} is in progress.${failure}`,
      nextRetryAt,
    };
  return {
    reason: reasonOfError(error) ?? (status === 'pending' ? 'pending' : 'retrying'),
    message: `Attempt ${attempt + 1} is due${nextRetryAt ? ` at ${at(nextRetryAt)}` : ''}.${failure}`,
    nextRetryAt,
  };
}

/** Names the type that an endpoint does not receive, and why if it receives all others. */
function notIncluded({ events }: EndpointDoc, name: EventTypeName): string {
  const hint =
    events === null
      ? ', which all customer events do not contain: name it in the events of the endpoint'
      : '';
  return `The events of the endpoint do not include ${name}${hint}.`;
}

/** Explains an event that has no delivery to the endpoint. */
function causeOfAbsence(
  event: EventDoc,
  endpoint: EndpointDoc,
  { isReadable = () => true }: Pick<Question, 'isReadable'>,
): Cause {
  const { id } = endpoint;
  const name = typeNameOf(event);
  const filteredOut = event.filteredOut?.find(({ endpointId }) => endpointId === id);
  // An unreadable payload has no data.
  const envelope = { data: {}, ...JSON.parse(event.payload) } as { data: Record<string, unknown> };
  if (filteredOut) {
    const { clause } = filteredOut;
    const value = isReadable(name) ? clauseValue(clause, envelope) : null;
    return {
      reason: 'filtered_out',
      message: `The event does not fulfil the clause ${clause}${value === null ? '' : `; its value is ${value}`}.`,
      clause,
      value,
    };
  }
  if (event.deliveries?.some(({ endpointId }) => endpointId === id))
    return { reason: 'pending', message: 'The delivery is planned, and is stored within two minutes.' };
  if (endpoint.createdAt > event.createdAt)
    return {
      reason: 'endpoint_created_later',
      message: `The event was emitted at ${at(event.createdAt)}, the endpoint was created at ${at(endpoint.createdAt)}.`,
    };
  if (envelope.data.test === true)
    return { reason: 'other_recipient', message: EXPLANATION_REASONS.other_recipient };
  if (!isSubscribed(endpoint, name))
    return { reason: 'not_subscribed', message: notIncluded(endpoint, name) };
  if (envelope.data.endpointId === id)
    return { reason: 'about_this_endpoint', message: EXPLANATION_REASONS.about_this_endpoint };
  return {
    reason: 'not_subscribed',
    message: `The endpoint was not subscribed to ${name} when the event was emitted; it is now.`,
  };
}

/** Explains why an endpoint has, or has not, received an event. */
export function explanationService({ events, endpoints, deliveries, waits }: Deps) {
  async function causeOf(tenant: Tenant, event: EventDoc, question: Question): Promise<Cause> {
    const { endpointId } = question;
    const [endpoint, delivery] = await Promise.all([
      endpoints.find(tenant, endpointId),
      deliveries.ofEndpoint(tenant, event._id, endpointId),
    ]);
    if (!delivery) {
      if (!endpoint) throw endpointNotFound(endpointId);
      return causeOfAbsence(event, endpoint, question);
    }
    const [wait] = await waits(tenant, [toDelivery(delivery)]);
    const { status, attempt, lastAttemptAt, responseStatus, error, durationMs } = delivery;
    return {
      deliveryId: delivery._id.toHexString(),
      ...{ status, attempt, lastAttemptAt, responseStatus, error, durationMs },
      ...causeOfState(delivery, endpoint, wait ?? { waitingFor: null, nextRetryAt: delivery.nextRetryAt }),
    };
  }

  return {
    /**
     * Explains why an endpoint received an event, or did not, from what is stored: it costs at most five reads by index.
     *
     * @throws AppError `NOT_FOUND` when neither the endpoint nor a delivery to it exists
     */
    async explain(tenant: Tenant, question: Question): Promise<DeliveryExplanation> {
      const { eventId, endpointId } = question;
      const event = isObjectIdText(eventId) ? await events.findView(tenant, eventId) : null;
      const known = { eventId, endpointId, ...UNKNOWN };
      if (event) return { ...known, event: typeNameOf(event), ...(await causeOf(tenant, event, question)) };
      await requireEndpoint(endpoints, tenant, endpointId);
      return { ...known, reason: 'no_such_event', message: EXPLANATION_REASONS.no_such_event };
    },
  };
}

export type ExplanationService = ReturnType<typeof explanationService>;
