import { type Connection, type Model, Schema } from 'mongoose';

/** When the next request with one provider key may start; all times are the database's. */
export interface ConnectorPacingDoc {
  /** SHA-256 of the provider key, in hexadecimal. */
  _id: string;
  /** Not before this. While a request is about to start: when it is given up for dead. */
  freeAt: Date;
  /** Who is about to start a request; null: nobody. */
  holder: string | null;
  /** When it was last asked for. */
  askedAt: Date;
}

/** Long after any wait is over, nothing is lost by forgetting it. */
const FORGOTTEN_AFTER_SECONDS = 3_600;

const connectorPacingSchema = new Schema<ConnectorPacingDoc>(
  {
    _id: { type: String, required: true },
    freeAt: { type: Date, required: true },
    holder: { type: String, default: null },
    askedAt: { type: Date, required: true },
  },
  { strict: 'throw', strictQuery: 'throw', versionKey: false, collection: 'connectorPacing' },
);
connectorPacingSchema.index({ freeAt: 1 }, { expireAfterSeconds: FORGOTTEN_AFTER_SECONDS });

export const connectorPacingModel = (connection: Connection): Model<ConnectorPacingDoc> =>
  connection.model<ConnectorPacingDoc>('ConnectorPacing', connectorPacingSchema);
