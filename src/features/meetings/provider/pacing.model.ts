import { type Connection, type Model, Schema } from 'mongoose';

/** Time at which the next request with one provider key to one endpoint class may start; all times are the database's. */
export interface ProviderPacingDoc {
  /** SHA-256 of the provider key in hexadecimal, and the endpoint class: `9f86…:all`. */
  _id: string;
  /** Earliest start of the next request; while a turn is held, its expiry. */
  freeAt: Date;
  /** Time before which the provider advised not to send a request; absent unless it did. */
  notBefore?: Date;
  /** Token of the process that is about to start a request; null while no turn is held. */
  holder: string | null;
  /** Time of the last attempt to acquire a turn. */
  askedAt: Date;
}

/** Long after any turn has expired: the document is not needed any more. */
const EXPIRE_AFTER_SECONDS = 3_600;

const connectorPacingSchema = new Schema<ProviderPacingDoc>(
  {
    _id: { type: String, required: true },
    freeAt: { type: Date, required: true },
    notBefore: { type: Date },
    holder: { type: String, default: null },
    askedAt: { type: Date, required: true },
  },
  { strict: 'throw', strictQuery: 'throw', versionKey: false, collection: 'connectorPacing' },
);
connectorPacingSchema.index({ freeAt: 1 }, { expireAfterSeconds: EXPIRE_AFTER_SECONDS });

export const providerPacingModel = (connection: Connection): Model<ProviderPacingDoc> =>
  connection.model<ProviderPacingDoc>('ProviderPacing', connectorPacingSchema);
