import { type Connection, type Model, Schema } from 'mongoose';

/** The one import of a customer that may be under way. */
export interface ImportLeaseDoc {
  /** The customer. */
  _id: number;
  /** Token of the import that has it. */
  owner: string;
  /** Until when, by the database's clock, unless it is renewed. */
  until: Date;
}

const importLeaseSchema = new Schema<ImportLeaseDoc>(
  {
    _id: { type: Number, required: true },
    owner: { type: String, required: true },
    until: { type: Date, required: true },
  },
  { strict: 'throw', strictQuery: 'throw', versionKey: false, collection: 'conversationImports' },
);

export const importLeaseModel = (connection: Connection): Model<ImportLeaseDoc> =>
  connection.model<ImportLeaseDoc>('ConversationImport', importLeaseSchema);
