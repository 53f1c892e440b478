import { type Connection, type Model, Schema } from 'mongoose';
import { STRICT } from '../../platform/mongo/strict-schema.ts';
import { type PersonalFields, UNREADABLE_JSON } from '../privacy/personal-fields.ts';
import type { StoredType } from './event-type.ts';
import type { EventDoc } from './outbox-event.model.ts';

/** An event of a conversation whose deliveries retention has removed: it stays in the timeline of the conversation. */
export type ArchivedEventDoc = Pick<
  EventDoc,
  '_id' | 'customerId' | keyof StoredType | 'payload' | 'createdAt'
> & {
  conversationId: string;
};

/** Index of the timelines. */
export const ARCHIVE_BY_CONVERSATION = { customerId: 1, conversationId: 1, _id: 1 } as const;

const archivedEventSchema = new Schema<ArchivedEventDoc>(
  {
    customerId: { type: Number, required: true },
    conversationId: { type: String, required: true },
    event: { type: String, required: true },
    customType: String,
    payload: { type: Schema.Types.Mixed, required: true },
    createdAt: { type: Date, required: true },
  },
  {
    ...STRICT,
    collection: 'conversationTimelines',
    shardKey: { customerId: 1, conversationId: 1 },
  },
);
archivedEventSchema.index(ARCHIVE_BY_CONVERSATION);

export const ARCHIVED_EVENT_FIELDS: PersonalFields = {
  collection: 'conversationTimelines',
  fields: ['payload'],
  unreadableAs: { payload: UNREADABLE_JSON },
  shardKey: ['conversationId'],
  scan: { by: 'conversationId', hint: ARCHIVE_BY_CONVERSATION },
};

export const archivedEventModel = (connection: Connection): Model<ArchivedEventDoc> =>
  connection.model<ArchivedEventDoc>('ArchivedEvent', archivedEventSchema);
