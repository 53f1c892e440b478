import { type Connection, type Model, Schema, type Types } from 'mongoose';

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

/**
 * A conversation that an import is storing. It is written before the first message and removed once the conversation
 * is stored or discarded, so it marks what a killed import has left behind.
 */
export interface StagedConversationDoc {
  /** Id of the conversation; unique over all imports that run at the same time. */
  _id: Types.ObjectId;
  customerId: number;
}

const stagedConversationSchema = new Schema<StagedConversationDoc>(
  { customerId: { type: Number, required: true } },
  { strict: 'throw', strictQuery: 'throw', versionKey: false, collection: 'stagedConversations' },
);
stagedConversationSchema.index({ customerId: 1 });

export const stagedConversationModel = (connection: Connection): Model<StagedConversationDoc> =>
  connection.model<StagedConversationDoc>('StagedConversation', stagedConversationSchema);
