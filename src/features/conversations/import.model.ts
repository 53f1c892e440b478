import { type Connection, type Model, Schema } from 'mongoose';

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
