import { type Connection, type Model, Schema } from 'mongoose';
import { STRICT } from '../../../platform/mongo/strict-schema.ts';
import { CONNECTION_STATUSES, type ConnectionStatus } from '../meetings.types.ts';

export interface ConnectionDoc {
  /** The customer: a tenant has at most one connection. */
  _id: number;
  /** New with each connect, so that a sync with an older key cannot change the state of the new connection. */
  generation: string;
  /** The provider's API key, encrypted and bound to its tenant. */
  encryptedApiKey: string;
  status: ConnectionStatus;
  connectedAt: Date;
  /** Time of the connect by the database's clock, as `listedAt` of meetings; absent in connections of an earlier version. */
  listedSince?: Date;
  /** Start of the last successful sync, where the next sync begins; null before the first success. */
  lastSyncAt: Date | null;
  /** Start of the next scheduled sync; null if none is scheduled. */
  nextSyncAt: Date | null;
  /** Start of the last complete comparison with the provider's list; absent before the first. */
  lastComparedAt?: Date;
  /** Token in the address of the provider's webhooks; absent in connections of an earlier version. */
  hookToken?: string;
  /** Signing secret of the provider's webhooks, encrypted and bound to its tenant; absent until a client sets it. */
  encryptedHookSecret?: string;
}

const connectionSchema = new Schema<ConnectionDoc>(
  {
    _id: { type: Number, required: true },
    generation: { type: String, required: true },
    encryptedApiKey: { type: String, required: true },
    status: { type: String, enum: CONNECTION_STATUSES, required: true },
    connectedAt: { type: Date, required: true },
    listedSince: Date,
    lastSyncAt: { type: Date, default: null },
    nextSyncAt: { type: Date, default: null },
    lastComparedAt: Date,
    hookToken: String,
    encryptedHookSecret: String,
  },
  { ...STRICT, collection: 'recorderConnections' },
);
connectionSchema.index({ status: 1, nextSyncAt: 1 });
connectionSchema.index(
  { hookToken: 1 },
  { unique: true, partialFilterExpression: { hookToken: { $exists: true } } },
);

export const connectionModel = (connection: Connection): Model<ConnectionDoc> =>
  connection.model<ConnectionDoc>('ProviderConnection', connectionSchema);
