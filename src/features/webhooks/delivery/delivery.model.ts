import { type Connection, type Model, Schema, type Types } from 'mongoose';
import { STRICT } from '../../../platform/mongo/strict-schema.ts';
import { MAX_ATTEMPTS } from '../../../shared/delivery-attempts.ts';
import { type StoredType, typeNameOf } from '../../outbox/event-type.ts';
import { type PersonalFields, UNREADABLE } from '../../privacy/personal-fields.ts';
import { readHeaders, requestHeadersOf } from './attempt-headers.ts';
import type {
  FailureReason,
  StoredAttempt,
  WebhookDelivery,
  WebhookDeliveryDetail,
} from './delivery.types.ts';
import { DELIVERY_STATUSES, type DeliveryState, OPEN_STATUSES, PAYLOAD_UNREADABLE, PLACES } from './state.ts';

export interface DeliveryDoc
  extends Omit<WebhookDelivery, 'id' | 'eventId' | 'event' | 'dueAt' | 'orderedBy' | 'failureReason'>,
    StoredType,
    Pick<DeliveryState, 'status' | 'attempt' | 'lane'> {
  _id: Types.ObjectId;
  eventId: Types.ObjectId;
  /** Conversation in whose order it is sent (`order.ts`); absent if it has no place in an order. */
  conversationId?: string;
  /** In chronological order. */
  attempts: StoredAttempt[];
  /** When any process may claim the delivery: the lease's expiry while it is leased. Absent if no attempt is due. */
  dueAt?: Date;
  /** Token of the lease; absent while no process holds one. */
  lease?: string;
  /** Present while a resend is due or in flight. */
  manual?: { resumeAt: Date | null };
  /** Number of recoveries after outages (`sweep/outage-recovery.ts`); absent before the first one. */
  outageRecoveries?: number;
  /** Time at which the delivery became terminal; retention counts from here. */
  finishedAt?: Date;
  /** True if the receiver ended it (HTTP 410, `webhook-delivery`): no recovery after an outage sends it again. */
  endedByReceiver?: boolean;
}

/** Index of the queue. */
export const QUEUE_INDEX = { lane: 1, endpointId: 1, dueAt: 1 } as const;

/** Index of the open deliveries with a place in the order of a conversation: the first of each conversation is its next one. */
export const ORDER_INDEX = {
  customerId: 1,
  endpointId: 1,
  conversationId: 1,
  eventId: 1,
  status: 1,
} as const;

/** Index of an event's deliveries: one per endpoint. */
export const BY_EVENT = { customerId: 1, eventId: 1, endpointId: 1 } as const;

/**
 * Indexes of the lists, newest first. The last two also serve lists that filter by one of their fields: the other one
 * is then any of its values, and the database merges the ranges.
 */
export const LIST_INDEXES = {
  all: { customerId: 1, _id: -1 },
  byStatus: { customerId: 1, status: 1, _id: -1 },
  byEndpoint: { customerId: 1, endpointId: 1, _id: -1 },
  byEvent: { customerId: 1, event: 1, status: 1, _id: -1 },
  byEndpointAndState: { customerId: 1, endpointId: 1, status: 1, event: 1, _id: -1 },
} as const;

/**
 * Index of the lists by the last error. Partial: a delivery is in it only after a failed attempt, so that successes do not
 * pay for it.
 */
export const BY_ERROR = { customerId: 1, endpointId: 1, error: 1, status: 1, _id: -1 } as const;

/** Index of the lists of a custom type. Partial: deliveries of other events do not pay for it. */
export const BY_CUSTOM_TYPE = { customerId: 1, endpointId: 1, customType: 1, status: 1, _id: -1 } as const;

const deliverySchema = new Schema<DeliveryDoc>(
  {
    customerId: { type: Number, required: true },
    endpointId: { type: Number, required: true },
    eventId: { type: Schema.Types.ObjectId, required: true },
    event: { type: String, required: true },
    customType: String,
    conversationId: String,
    status: { type: String, enum: DELIVERY_STATUSES, required: true },
    attempt: { type: Number, required: true },
    nextRetryAt: { type: Date, default: null },
    createdAt: { type: Date, required: true },
    lastAttemptAt: { type: Date, default: null },
    responseStatus: { type: Number, default: null },
    error: { type: String, default: null },
    durationMs: { type: Number, default: null },
    attempts: { type: [Schema.Types.Mixed], default: [] } as never,
    lane: { type: String, enum: PLACES, required: true },
    dueAt: Date,
    lease: String,
    manual: { type: Schema.Types.Mixed },
    outageRecoveries: Number,
    finishedAt: Date,
    endedByReceiver: Boolean,
  },
  {
    ...STRICT,
    collection: 'webhookDeliveries',
    shardKey: { customerId: 1, eventId: 1 },
  },
);
// Every index begins with the tenant, except for the queue, which the claims of all tenants read.
deliverySchema.index(BY_EVENT, { unique: true });
for (const index of Object.values(LIST_INDEXES)) deliverySchema.index(index);
deliverySchema.index(BY_CUSTOM_TYPE, { partialFilterExpression: { customType: { $exists: true } } });
deliverySchema.index(BY_ERROR, { partialFilterExpression: { error: { $gt: '' } } });
// The queue. Partial: it holds only deliveries with an attempt due, so it stays small however many are kept.
deliverySchema.index(QUEUE_INDEX, { partialFilterExpression: { dueAt: { $exists: true } } });
// Partial: deliveries without an order add nothing to it.
deliverySchema.index(ORDER_INDEX, {
  partialFilterExpression: { conversationId: { $exists: true }, status: { $in: [...OPEN_STATUSES] } },
});

export const DELIVERY_FIELDS: PersonalFields = {
  collection: 'webhookDeliveries',
  elements: { array: 'attempts', field: 'responseBody', id: 'request' },
  unreadableAs: { responseBody: UNREADABLE },
  shardKey: ['eventId'],
  scan: { by: '_id', hint: LIST_INDEXES.all },
};

export const deliveryModel = (connection: Connection): Model<DeliveryDoc> =>
  connection.model<DeliveryDoc>('WebhookDelivery', deliverySchema);

/** Fields that depend on how a delivery is accepted. */
export type AcceptedFields = Pick<
  DeliveryDoc,
  'status' | 'attempt' | 'lane' | 'dueAt' | 'lease' | 'finishedAt'
>;

/** Returns the document of a delivery without an attempt. @param state its state when it is accepted */
export const newDelivery = (
  identity: Pick<
    DeliveryDoc,
    '_id' | 'customerId' | 'endpointId' | 'eventId' | keyof StoredType | 'conversationId'
  >,
  state: AcceptedFields,
  createdAt: Date,
): DeliveryDoc => ({
  ...identity,
  nextRetryAt: null,
  createdAt,
  lastAttemptAt: null,
  responseStatus: null,
  error: null,
  durationMs: null,
  attempts: [],
  ...state,
});

/** Returns why a delivery failed; null if it did not. */
export function failureReasonOf({
  status,
  attempt,
  error,
  endedByReceiver,
}: Pick<DeliveryDoc, 'status' | 'attempt' | 'error' | 'endedByReceiver'>): FailureReason | null {
  if (status !== 'failed') return null;
  if (error === PAYLOAD_UNREADABLE) return error;
  // Deliveries of earlier builds lack `endedByReceiver`.
  return endedByReceiver || attempt < MAX_ATTEMPTS ? 'stopped_by_receiver' : 'exhausted';
}

/** Returns the delivery without its queue and lease fields. */
export const toDelivery = (doc: Omit<DeliveryDoc, 'attempts'>): WebhookDelivery => ({
  id: doc._id.toHexString(),
  customerId: doc.customerId,
  endpointId: doc.endpointId,
  eventId: doc.eventId.toHexString(),
  event: typeNameOf(doc),
  status: doc.status,
  attempt: doc.attempt,
  nextRetryAt: doc.nextRetryAt,
  dueAt: doc.dueAt ?? null,
  orderedBy: (doc.manual === undefined && doc.conversationId) || null,
  createdAt: doc.createdAt,
  lastAttemptAt: doc.lastAttemptAt,
  responseStatus: doc.responseStatus,
  error: doc.error,
  failureReason: failureReasonOf(doc),
  durationMs: doc.durationMs,
});

/** True for an attempt that counts toward the five, unless a recovery has started the count again. */
const isScheduled = ({ manual, probe, error }: StoredAttempt): boolean =>
  !manual && (!probe || error === null);

export const toDeliveryDetail = (doc: DeliveryDoc, payload: string): WebhookDeliveryDetail => ({
  ...toDelivery(doc),
  payload,
  attempts: doc.attempts.map((attempt, index) => ({
    probe: false,
    ...attempt,
    number: index + 1,
    requestHeaders: requestHeadersOf(attempt, {
      deliveryId: doc._id.toHexString(),
      eventId: doc.eventId.toHexString(),
    }),
    responseHeaders: readHeaders(attempt.responseHeaders),
  })),
  scheduledAttempts: doc.attempts.filter(isScheduled).length,
  manualAttempts: doc.attempts.filter(({ manual }) => manual).length,
});
