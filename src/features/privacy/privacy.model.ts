import { type Connection, type Model, Schema, type Types } from 'mongoose';
import { STRICT } from '../../platform/mongo/strict-schema.ts';
import { SUPPRESSION_TYPES, type SuppressionType } from './suppression-types.ts';

/** A suppressed identifier of a person or a meeting, as a keyed hash. */
export interface SuppressionDoc {
  _id: Types.ObjectId;
  customerId: number;
  type: SuppressionType;
  /** HMAC-SHA256 of type and identifier under the tenant's key, in base64url. */
  hash: string;
  /** The start of the keyed hash of each word that a text with the identifier has: only such texts are compared. */
  words?: string[];
  /** The erasure that added it; null for a meeting. */
  erasureId: Types.ObjectId | null;
  /** Id of the API key that started the erasure or deleted the meeting; null for the command line. */
  createdBy: string | null;
  createdAt: Date;
}

const suppressionSchema = new Schema<SuppressionDoc>(
  {
    customerId: { type: Number, required: true },
    type: { type: String, enum: SUPPRESSION_TYPES, required: true },
    hash: { type: String, required: true },
    words: { type: [String], default: undefined },
    erasureId: { type: Schema.Types.ObjectId, default: null },
    createdBy: { type: String, default: null },
    createdAt: { type: Date, required: true },
  },
  { ...STRICT, collection: 'suppressions' },
);
suppressionSchema.index({ customerId: 1, hash: 1 }, { unique: true });
suppressionSchema.index({ customerId: 1, _id: 1 });

export const suppressionModel = (connection: Connection): Model<SuppressionDoc> =>
  connection.model<SuppressionDoc>('Suppression', suppressionSchema);

/** The key of a tenant's hashes, itself encrypted under the service's key. */
export interface PrivacyKeyDoc {
  /** The customer. */
  _id: number;
  encryptedKey: string;
}

const keySchema = new Schema<PrivacyKeyDoc>(
  { _id: { type: Number, required: true }, encryptedKey: { type: String, required: true } },
  { ...STRICT, collection: 'privacyKeys' },
);

export const privacyKeyModel = (connection: Connection): Model<PrivacyKeyDoc> =>
  connection.model<PrivacyKeyDoc>('PrivacyKey', keySchema);
