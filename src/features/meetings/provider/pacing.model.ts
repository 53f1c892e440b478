import { type Connection, type Model, Schema } from 'mongoose';
import { STRICT } from '../../../platform/mongo/strict-schema.ts';

/** When the next request with a provider key to an endpoint class may start. All times are the database's. */
export interface ProviderPacingDoc {
  /** Digest of the provider key in hexadecimal, and the endpoint class: `9f86…:all`. */
  _id: string;
  /** Earliest start of the next request; while a turn is held, its expiry. */
  freeAt: Date;
  /** The provider advised to send no request before this time; absent without advice. */
  notBefore?: Date;
  /** Token of the process that is about to start a request; null while no turn is held. */
  holder: string | null;
  /** Time of the last attempt to acquire a turn. */
  askedAt: Date;
}

/** Long after any turn has expired, the document is no longer needed. */
const EXPIRE_AFTER_SECONDS = 3_600;

const connectorPacingSchema = new Schema<ProviderPacingDoc>(
  {
    _id: { type: String, required: true },
    freeAt: { type: Date, required: true },
    notBefore: { type: Date },
    holder: { type: String, default: null },
    askedAt: { type: Date, required: true },
  },
  { ...STRICT, collection: 'connectorPacing' },
);
connectorPacingSchema.index({ freeAt: 1 }, { expireAfterSeconds: EXPIRE_AFTER_SECONDS });

export const providerPacingModel = (connection: Connection): Model<ProviderPacingDoc> =>
  connection.model<ProviderPacingDoc>('ProviderPacing', connectorPacingSchema);
