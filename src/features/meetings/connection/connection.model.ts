import { type Connection, type Model, Schema } from 'mongoose';
import { CONNECTION_STATUSES, type ConnectionStatus, type FieldMapping } from '../meetings.types.ts';

const strict = { strict: 'throw', strictQuery: 'throw', versionKey: false } as const;

export interface ConnectionDoc {
  /** The customer: a tenant has one connection at most. */
  _id: number;
  /** New with each connect: what a sync finds out about an older key does not concern a newer one. */
  generation: string;
  /** The provider's key, sealed and bound to its tenant. */
  encryptedApiKey: string;
  status: ConnectionStatus;
  connectedAt: Date;
  /** Start of the last sync that succeeded: what later ones go back to. */
  lastSyncAt: Date | null;
  nextSyncAt: Date | null;
}

const connectionSchema = new Schema<ConnectionDoc>(
  {
    _id: { type: Number, required: true },
    generation: { type: String, required: true },
    encryptedApiKey: { type: String, required: true },
    status: { type: String, enum: CONNECTION_STATUSES, required: true },
    connectedAt: { type: Date, required: true },
    lastSyncAt: { type: Date, default: null },
    nextSyncAt: { type: Date, default: null },
  },
  { ...strict, collection: 'recorderConnections' },
);
connectionSchema.index({ status: 1, nextSyncAt: 1 });

export const connectionModel = (connection: Connection): Model<ConnectionDoc> =>
  connection.model<ConnectionDoc>('RecorderConnection', connectionSchema);

/** A mapping of a tenant's own. It outlives the connection. */
export interface MappingDoc {
  /** The customer. */
  _id: number;
  mappings: FieldMapping[];
}

const mappingSchema = new Schema<MappingDoc>(
  { _id: { type: Number, required: true }, mappings: { type: Schema.Types.Mixed, required: true } },
  { ...strict, collection: 'recorderMappings' },
);

export const mappingModel = (connection: Connection): Model<MappingDoc> =>
  connection.model<MappingDoc>('RecorderMapping', mappingSchema);
