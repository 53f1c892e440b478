import type { EventName } from '../../outbox/event-catalog.ts';
import { type EventTypeName, storedType } from '../../outbox/event-type.ts';
import type { DeliveryDoc } from './delivery.model.ts';

/**
 * The body for endpoints with `payload: thin` (contract 6): it says that something has happened and where to read it,
 * so that the receiver, its log and everything between sees nothing about a person.
 */

/** Ids in `data` that identify a person, if only under a pseudonym. */
const PERSONAL_IDS = ['visitorId', 'resolvedPersonId'];

/** Returns whether a thin body has a key of `data`: ids, and the mark of a test event. */
const isThin = (key: string): boolean =>
  key === 'test' || (key.endsWith('Id') && !PERSONAL_IDS.includes(key));

type Data = Record<string, unknown>;
type Delivery = Pick<DeliveryDoc, '_id' | 'customerId' | 'endpointId'>;
/** Returns the path of a resource. */
type Resource = (data: Data, delivery: Delivery) => string;

const endpointPath = ({ customerId, endpointId }: Pick<Delivery, 'customerId' | 'endpointId'>): string =>
  `/api/v1/customers/${customerId}/webhook-endpoints/${endpointId}`;

/** The delivery, whose `payload` has the whole event. */
const itself: Resource = (_data, delivery) =>
  `${endpointPath(delivery)}/deliveries/${delivery._id.toHexString()}`;

const conversation: Resource = ({ conversationId }, delivery) =>
  typeof conversationId === 'string'
    ? `/v1/conversations/${encodeURIComponent(conversationId)}`
    : itself({}, delivery);

const driftStatus: Resource = ({ model, stage }) => {
  const query = new URLSearchParams({ model: String(model), ...(typeof stage === 'string' && { stage }) });
  return `/api/drift.getStatus?${query}`;
};

/** The endpoint that the event is about. */
const endpoint: Resource = ({ endpointId }, { customerId }) =>
  endpointPath({ customerId, endpointId: Number(endpointId) });

const erasure: Resource = ({ erasureId }, { customerId }) =>
  `/api/v1/customers/${customerId}/erasures/${encodeURIComponent(String(erasureId))}`;

const failedDeliveries: Resource = (data, delivery) => `${endpoint(data, delivery)}/deliveries?status=failed`;

const auditEntry: Resource = ({ auditEntryId }, { customerId }) =>
  `/api/v1/customers/${customerId}/audit-log/${auditEntryId}`;

/** The resource that shows the current state of what an event reports. */
const RESOURCES: Record<EventName, Resource> = {
  'conversation.started': conversation,
  'conversation.ended': conversation,
  'identity.resolved': conversation,
  'conversion.recorded': conversation,
  'resolution.recorded': conversation,
  'handoff.requested': conversation,
  'outcome.marked': conversation,
  'custom.*': itself,
  'drift.detected': driftStatus,
  'drift.cleared': driftStatus,
  'endpoint.failing': endpoint,
  'endpoint.disabled': endpoint,
  'endpoint.recovered': endpoint,
  'delivery.exhausted': failedDeliveries,
  'meeting_sync.failed': itself,
  'recorder_key.invalid': itself,
  'audit.recorded': auditEntry,
  'person.erased': erasure,
  // The customer's own keys cannot read keys.
  'key.expiring': itself,
};

/** Returns the thin body of a delivery. @param payload the event as stored @param publicUrl without a trailing slash */
export function thinPayload(payload: string, delivery: Delivery, publicUrl: string): string {
  const { event, data, ts } = JSON.parse(payload) as { event: EventTypeName; data: Data; ts: number };
  const ids = Object.fromEntries(Object.entries(data).filter(([key]) => isThin(key)));
  return JSON.stringify({
    event,
    data: ids,
    ts,
    url: publicUrl + RESOURCES[storedType(event).event](data, delivery),
  });
}
