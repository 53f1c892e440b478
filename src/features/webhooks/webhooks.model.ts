import { type Connection, type Model, Schema, type Types } from 'mongoose';
import type { EventName } from './catalogue.ts';
import {
  DELIVERY_STATUSES,
  type DeliveryAttempt,
  type DeliveryStatus,
  DISABLED_REASONS,
  type DisabledReason,
} from './webhooks.types.ts';

const strict = { strict: 'throw', strictQuery: 'throw', versionKey: false } as const;

export interface EndpointDoc {
  id: number;
  customerId: number;
  url: string;
  description: string | null;
  events: EventName[] | null;
  enabled: boolean;
  disabledReason: DisabledReason | null;
  /** The signing secret, sealed under the encryption key and bound to this endpoint. */
  secret: string;
  /** Failed attempts since the last success, and when the first of them was: what `failing` is decided by. */
  failures: number;
  failingSince: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

const endpointSchema = new Schema<EndpointDoc>(
  {
    id: { type: Number, required: true },
    customerId: { type: Number, required: true },
    url: { type: String, required: true },
    description: { type: String, default: null },
    events: { type: [String], default: null },
    enabled: { type: Boolean, required: true },
    disabledReason: { type: String, enum: [...DISABLED_REASONS, null], default: null },
    secret: { type: String, required: true },
    failures: { type: Number, required: true, default: 0 },
    failingSince: { type: Date, default: null },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { ...strict, id: false, collection: 'webhookEndpoints' },
);
endpointSchema.index({ id: 1 }, { unique: true });
endpointSchema.index({ customerId: 1, id: -1 });

export const endpointModel = (connection: Connection): Model<EndpointDoc> =>
  connection.model<EndpointDoc>('WebhookEndpoint', endpointSchema);

/** The outbox: one document an event, with the exact bytes that every attempt sends. */
export interface EventDoc {
  _id: Types.ObjectId;
  customerId: number;
  event: EventName;
  payload: string;
  /** The conversation that it tells of, for its timeline. */
  conversationId?: string;
  createdAt: Date;
}

const eventSchema = new Schema<EventDoc>(
  {
    customerId: { type: Number, required: true },
    event: { type: String, required: true },
    payload: { type: String, required: true },
    conversationId: String,
    createdAt: { type: Date, required: true },
  },
  { ...strict, collection: 'webhookEvents' },
);
eventSchema.index({ customerId: 1, createdAt: 1, event: 1 });
eventSchema.index(
  { conversationId: 1, _id: 1 },
  { partialFilterExpression: { conversationId: { $exists: true } } },
);

export const eventModel = (connection: Connection): Model<EventDoc> =>
  connection.model<EventDoc>('WebhookEvent', eventSchema);

/** An attempt as it is kept. */
export type StoredAttempt = Omit<DeliveryAttempt, 'number'>;

/** Which queue a waiting delivery stands in: the inline attempts 1 and 2 never stand behind retries. */
export const LANES = ['inline', 'scheduled'] as const;
export type Lane = (typeof LANES)[number];

export interface DeliveryDoc {
  _id: Types.ObjectId;
  customerId: number;
  endpointId: number;
  eventId: Types.ObjectId;
  event: EventName;
  status: DeliveryStatus;
  attempt: number;
  nextRetryAt: Date | null;
  createdAt: Date;
  lastAttemptAt: Date | null;
  responseStatus: number | null;
  error: string | null;
  durationMs: number | null;
  /** In the order made; an attempt's number is its position. */
  attempts: StoredAttempt[];
  lane: Lane;
  /** From when on any process may take it; the end of the lease while one has it. Absent: nothing is to be done. */
  dueAt?: Date;
  /** Token of the process's claim: only who holds it may write a result. */
  lease?: string;
  /** Present while a resend is asked for or under way: what to go back to when it fails. */
  manual?: { resumeAt: Date | null };
  /** When it became terminal; retention counts from here. */
  finishedAt?: Date;
}

const deliverySchema = new Schema<DeliveryDoc>(
  {
    customerId: { type: Number, required: true },
    endpointId: { type: Number, required: true },
    eventId: { type: Schema.Types.ObjectId, required: true },
    event: { type: String, required: true },
    status: { type: String, enum: DELIVERY_STATUSES, required: true },
    attempt: { type: Number, required: true },
    nextRetryAt: { type: Date, default: null },
    createdAt: { type: Date, required: true },
    lastAttemptAt: { type: Date, default: null },
    responseStatus: { type: Number, default: null },
    error: { type: String, default: null },
    durationMs: { type: Number, default: null },
    attempts: { type: [Schema.Types.Mixed], default: [] } as never,
    lane: { type: String, enum: LANES, required: true },
    dueAt: Date,
    lease: String,
    manual: { type: Schema.Types.Mixed },
    finishedAt: Date,
  },
  { ...strict, collection: 'webhookDeliveries' },
);
deliverySchema.index({ eventId: 1, endpointId: 1 }, { unique: true });
deliverySchema.index({ customerId: 1, _id: -1 });
deliverySchema.index({ customerId: 1, status: 1, _id: -1 });
deliverySchema.index({ endpointId: 1, _id: -1 });
deliverySchema.index({ endpointId: 1, status: 1, _id: -1 });
deliverySchema.index({ endpointId: 1, event: 1, _id: -1 });
// The queue: only what waits is in it, so it stays small however many deliveries are kept.
deliverySchema.index(
  { lane: 1, endpointId: 1, dueAt: 1 },
  { partialFilterExpression: { dueAt: { $exists: true } } },
);

export const deliveryModel = (connection: Connection): Model<DeliveryDoc> =>
  connection.model<DeliveryDoc>('WebhookDelivery', deliverySchema);

/** A recovery that is being fed to an endpoint; there is at most one for each (contract 5, `recover`). */
export interface RecoveryDoc {
  _id: Types.ObjectId;
  customerId: number;
  endpointId: number;
  since: Date;
  until: Date;
  /** The last delivery that was put back; the job goes on behind it. */
  position: Types.ObjectId | null;
  createdAt: Date;
}

const recoverySchema = new Schema<RecoveryDoc>(
  {
    customerId: { type: Number, required: true },
    endpointId: { type: Number, required: true },
    since: { type: Date, required: true },
    until: { type: Date, required: true },
    position: { type: Schema.Types.ObjectId, default: null },
    createdAt: { type: Date, required: true },
  },
  { ...strict, collection: 'webhookRecoveries' },
);
recoverySchema.index({ endpointId: 1 }, { unique: true });

export const recoveryModel = (connection: Connection): Model<RecoveryDoc> =>
  connection.model<RecoveryDoc>('WebhookRecovery', recoverySchema);
