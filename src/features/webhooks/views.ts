import type { DeliveryDoc, EndpointDoc, EventDoc } from './webhooks.model.ts';
import type {
  TimelineEvent,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookEndpoint,
} from './webhooks.types.ts';

/** An endpoint as clients see it: without its secret and its counters. */
export const toEndpoint = (doc: EndpointDoc): WebhookEndpoint => ({
  id: doc.id,
  customerId: doc.customerId,
  url: doc.url,
  description: doc.description,
  events: doc.events,
  enabled: doc.enabled,
  disabledReason: doc.disabledReason,
  createdAt: doc.createdAt,
  updatedAt: doc.updatedAt,
});

/** A delivery as clients see it: without queue and lease. */
export const toDelivery = (doc: Omit<DeliveryDoc, 'attempts'>): WebhookDelivery => ({
  id: doc._id.toHexString(),
  customerId: doc.customerId,
  endpointId: doc.endpointId,
  eventId: doc.eventId.toHexString(),
  event: doc.event,
  status: doc.status,
  attempt: doc.attempt,
  nextRetryAt: doc.nextRetryAt,
  createdAt: doc.createdAt,
  lastAttemptAt: doc.lastAttemptAt,
  responseStatus: doc.responseStatus,
  error: doc.error,
  durationMs: doc.durationMs,
});

export const toDeliveryDetail = (doc: DeliveryDoc, payload: string): WebhookDeliveryDetail => ({
  ...toDelivery(doc),
  payload,
  attempts: doc.attempts.map((attempt, index) => ({ ...attempt, number: index + 1 })),
});

export const toTimelineEvent = ({ _id, event, payload, createdAt }: EventDoc): TimelineEvent => ({
  id: _id.toHexString(),
  event,
  payload,
  createdAt,
});
