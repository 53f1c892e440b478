import { type Connection, type Model, Schema, type Types } from 'mongoose';
import { STRICT } from '../../platform/mongo/strict-schema.ts';
import { SUPPRESSED } from '../privacy/person.ts';
import { type PersonalFields, UNREADABLE } from '../privacy/personal-fields.ts';
import type { PreviewEvent } from './preview-event.types.ts';

/** An event of a custom type, received through the preview API. Conversions are stored in the outbox instead. */
export interface PreviewEventDoc {
  _id: Types.ObjectId;
  customerId: number;
  type: string;
  goal: string | null;
  visitorId: string;
  conversationId: Types.ObjectId | null;
  /** The webhook event that it caused; absent if it caused none. */
  eventId?: Types.ObjectId;
  value: number | null;
  /** Free-form JSON, stored as text so that its keys cannot act as operators; null if not given. */
  properties: string | null;
  occurredAt: Date;
  createdAt: Date;
}

/** Index of the list of all events of a tenant. */
export const BY_TENANT = { customerId: 1, _id: 1 } as const;

const previewEventSchema = new Schema<PreviewEventDoc>(
  {
    customerId: { type: Number, required: true },
    type: { type: String, required: true },
    goal: { type: Schema.Types.Mixed, default: null },
    visitorId: { type: String, required: true },
    conversationId: { type: Schema.Types.ObjectId, default: null },
    eventId: Schema.Types.ObjectId,
    value: { type: Number, default: null },
    properties: { type: Schema.Types.Mixed, default: null },
    occurredAt: { type: Date, required: true },
    createdAt: { type: Date, required: true },
  },
  {
    ...STRICT,
    collection: 'previewEvents',
    shardKey: { customerId: 1, _id: 1 },
  },
);
// One index per combination of list filters, in the order of the list.
previewEventSchema.index(BY_TENANT);
previewEventSchema.index({ customerId: 1, type: 1, _id: 1 });
previewEventSchema.index({ customerId: 1, visitorId: 1, _id: 1 });
previewEventSchema.index({ customerId: 1, visitorId: 1, type: 1, _id: 1 });
// For the deletion of a conversation.
previewEventSchema.index({ customerId: 1, conversationId: 1 });

export const PREVIEW_EVENT_FIELDS: PersonalFields = {
  collection: 'previewEvents',
  fields: ['goal', 'properties'],
  unreadableAs: { goal: UNREADABLE },
  shardKey: [],
  scan: { by: '_id', hint: BY_TENANT },
};

export const previewEventModel = (connection: Connection): Model<PreviewEventDoc> =>
  connection.model<PreviewEventDoc>('PreviewEvent', previewEventSchema);

export const toPreviewEvent = (doc: PreviewEventDoc): PreviewEvent => ({
  id: doc._id.toHexString(),
  eventId: doc.eventId?.toHexString() ?? null,
  type: doc.type,
  goal: doc.goal,
  visitorId: doc.visitorId,
  suppressed: doc.visitorId === SUPPRESSED,
  conversationId: doc.conversationId?.toHexString() ?? null,
  value: doc.value,
  occurredAt: doc.occurredAt,
  createdAt: doc.createdAt,
});
