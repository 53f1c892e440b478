import { type Connection, type Model, Schema, type Types } from 'mongoose';
import { STRICT } from '../../platform/mongo/strict-schema.ts';
import { type PersonalFields, UNREADABLE_JSON } from '../privacy/personal-fields.ts';
import { EVENT_NAMES } from './event-catalog.ts';
import type { StoredType } from './event-type.ts';

/** A committed event: one document per event, with the exact bytes that every delivery attempt sends. */
export interface EventDoc extends StoredType {
  _id: Types.ObjectId;
  customerId: number;
  payload: string;
  /** Conversation whose timeline lists the event. */
  conversationId?: string;
  /** Input of the client that recorded the event through the preview API. */
  source?: EventSource;
  /** Deliveries of the event: those that a crash left out are inserted from here. */
  deliveries?: PlannedDelivery[];
  /** Endpoints that subscribe to the event type and whose filter left out the event. */
  filteredOut?: FilteredOut[];
  createdAt: Date;
}

/** Input of a conversion that is not part of its payload; of a custom event, who caused it and when. */
export interface EventSource {
  visitorId: string;
  occurredAt: Date;
  /** Free-form JSON, stored as text so that its keys cannot act as operators; null if not given. */
  properties: string | null;
}

export interface PlannedDelivery {
  _id: Types.ObjectId;
  endpointId: number;
}

export interface FilteredOut {
  endpointId: number;
  /** The first clause that the event did not fulfil: path, operator and value, such as `data.value $gte 100`. */
  clause: string;
}

/** Index of the lists; one of all types merges the ranges of the types. */
export const BY_TYPE = { customerId: 1, event: 1, _id: 1 } as const;
/** Index of the lists of a custom type. */
export const BY_CUSTOM_TYPE = { customerId: 1, customType: 1, _id: 1 } as const;
/** Index of the timelines of conversations. */
export const BY_CONVERSATION = { conversationId: 1, _id: 1 } as const;

const eventSchema = new Schema<EventDoc>(
  {
    customerId: { type: Number, required: true },
    event: { type: String, required: true },
    customType: String,
    payload: { type: Schema.Types.Mixed, required: true },
    conversationId: String,
    source: Schema.Types.Mixed,
    deliveries: { type: [Schema.Types.Mixed], default: undefined } as never,
    filteredOut: { type: [Schema.Types.Mixed], default: undefined } as never,
    createdAt: { type: Date, required: true },
  },
  {
    ...STRICT,
    collection: 'webhookEvents',
    shardKey: { customerId: 1, _id: 1 },
  },
);
eventSchema.index(BY_TYPE);
// Partial: other events add nothing to it.
eventSchema.index(BY_CUSTOM_TYPE, { partialFilterExpression: { customType: { $exists: true } } });
eventSchema.index(BY_CONVERSATION, { partialFilterExpression: { conversationId: { $exists: true } } });

export const EVENT_FIELDS: PersonalFields = {
  collection: 'webhookEvents',
  fields: ['payload', 'source'],
  unreadableAs: { payload: UNREADABLE_JSON },
  shardKey: [],
  // With all types in the filter, the index serves the order of ids.
  scan: { of: { event: { $in: EVENT_NAMES } }, by: '_id', hint: BY_TYPE },
};

export const eventModel = (connection: Connection): Model<EventDoc> =>
  connection.model<EventDoc>('WebhookEvent', eventSchema);
