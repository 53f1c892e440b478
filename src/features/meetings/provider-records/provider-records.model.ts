import { type Connection, type Model, type mongo, Schema } from 'mongoose';
import { STRICT } from '../../../platform/mongo/strict-schema.ts';

/** The provider's JSON of a meeting without its transcript. In a collection of its own, because only the mapping reads it. */
export interface ProviderRecordDoc {
  /** Customer and meeting, as in `meetings`. */
  _id: string;
  customerId: number;
  /** As in `meetings`. */
  writeOrder?: string;
  /** The tenant's data key that encrypts the record; absent if the record cannot be stored. */
  keyId?: string;
  /** Compressed, then encrypted JSON; absent if the record cannot be stored. */
  data?: mongo.Binary;
}

const recordSchema = new Schema<ProviderRecordDoc>(
  {
    _id: { type: String, required: true },
    customerId: { type: Number, required: true },
    writeOrder: { type: String },
    keyId: { type: String },
    data: { type: Schema.Types.Mixed },
  },
  { ...STRICT, collection: 'meetingProviderRecords', shardKey: { customerId: 1, _id: 1 } },
);

export const providerRecordModel = (connection: Connection): Model<ProviderRecordDoc> =>
  connection.model<ProviderRecordDoc>('MeetingProviderRecord', recordSchema);

/**
 * The data key that encrypts a tenant's records, itself encrypted under the service's key, so that a rotation re-encrypts
 * this document instead of all records. Like the meetings, it outlives the connection.
 */
export interface RecordKeyDoc {
  /** The customer. */
  _id: number;
  /** New with each data key. */
  keyId: string;
  encryptedKey: string;
}

const keySchema = new Schema<RecordKeyDoc>(
  {
    _id: { type: Number, required: true },
    keyId: { type: String, required: true },
    encryptedKey: { type: String, required: true },
  },
  { ...STRICT, collection: 'meetingRecordKeys' },
);

export const recordKeyModel = (connection: Connection): Model<RecordKeyDoc> =>
  connection.model<RecordKeyDoc>('MeetingRecordKey', keySchema);
