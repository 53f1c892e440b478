import { type Connection, type Model, Schema, type Types } from 'mongoose';
import type { OutboxEvent } from '../../outbox/outbox-event.ts';
import type { ConversationDoc } from '../conversations.model.ts';

/** The right to import for a customer, which one process holds at a time. */
export interface ImportLeaseDoc {
  /** The customer. */
  _id: number;
  /** Absent while no process holds the lease. */
  token?: string;
  expiresAt: Date;
}

const importLeaseSchema = new Schema<ImportLeaseDoc>(
  {
    _id: { type: Number, required: true },
    token: String,
    expiresAt: { type: Date, required: true },
  },
  { strict: 'throw', strictQuery: 'throw', versionKey: false, collection: 'conversationImportLeases' },
);

export const importLeaseModel = (connection: Connection): Model<ImportLeaseDoc> =>
  connection.model<ImportLeaseDoc>('ConversationImportLease', importLeaseSchema);

/** A conversation whose messages and records are stored, with the events to publish with it. */
export interface Publication {
  conversation: ConversationDoc;
  events: OutboxEvent[];
}

/**
 * A conversation that an import is storing. It is written before the first message and removed once the conversation
 * is stored or discarded, so it marks what a killed import has left behind.
 *
 * `staged` becomes either `publishing` or `discarding`, by an update that only one import can make, and never the one
 * after the other: an import that stalls cannot publish what another one has discarded. Another import completes a
 * publication, since it cannot know whether the first one will.
 */
export interface StagedConversationDoc {
  /** Id of the conversation; unique over all imports that run at the same time. */
  _id: Types.ObjectId;
  customerId: number;
  /** Reserved with the id: the conversations of a tenant have no unique index on it. */
  importId?: string;
  /** Identifies the batch of one import; absent on documents of earlier versions. */
  token?: string;
  /** Absent on documents of earlier versions, which are `staged`. */
  state?: 'staged' | 'publishing' | 'discarding';
  /** Present from `publishing` on. */
  publication?: Publication;
}

const stagedConversationSchema = new Schema<StagedConversationDoc>(
  {
    customerId: { type: Number, required: true },
    importId: String,
    token: String,
    state: { type: String, enum: ['staged', 'publishing', 'discarding'] },
    publication: Schema.Types.Mixed,
  },
  { strict: 'throw', strictQuery: 'throw', versionKey: false, collection: 'stagedConversations' },
);
stagedConversationSchema.index({ customerId: 1 });
stagedConversationSchema.index(
  { customerId: 1, importId: 1 },
  { unique: true, partialFilterExpression: { importId: { $exists: true } } },
);

export const stagedConversationModel = (connection: Connection): Model<StagedConversationDoc> =>
  connection.model<StagedConversationDoc>('StagedConversation', stagedConversationSchema);
