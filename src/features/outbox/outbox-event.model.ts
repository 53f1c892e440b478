import { type Connection, type Model, Schema, type Types } from 'mongoose';
import type { EventName } from './event-catalog.ts';

/** A committed event: one document per event, with the exact bytes that every delivery attempt sends. */
export interface EventDoc {
  _id: Types.ObjectId;
  customerId: number;
  event: EventName;
  payload: string;
  /** Conversation whose timeline lists the event. */
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
  {
    strict: 'throw',
    strictQuery: 'throw',
    versionKey: false,
    collection: 'webhookEvents',
    shardKey: { customerId: 1, _id: 1 },
  },
);
eventSchema.index({ customerId: 1, event: 1, createdAt: 1 });
eventSchema.index(
  { conversationId: 1, _id: 1 },
  { partialFilterExpression: { conversationId: { $exists: true } } },
);

export const eventModel = (connection: Connection): Model<EventDoc> =>
  connection.model<EventDoc>('WebhookEvent', eventSchema);
