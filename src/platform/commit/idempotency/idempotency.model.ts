import { type Connection, type Model, Schema } from 'mongoose';
import { STRICT } from '../../mongo/strict-schema.ts';

/** Idempotency record: the outcome of a request with an `Idempotency-Key`. */
export interface IdempotencyDoc {
  /** Owner, route and key. */
  _id: string;
  /** SHA-256 of the input: the same key with a different input is a conflict. */
  fingerprint: string;
  /**
   * Encrypted result of the commit that wrote the record. Null if the operation makes no change, or changes outside of
   * one commit.
   */
  result: string | null;
  /** Encrypted response; null while the request is in progress, or if the response was not stored. */
  response: string | null;
  /** Deadline of a request in progress; null if a commit wrote the record. */
  claimedUntil: Date | null;
  expiresAt: Date;
}

const idempotencySchema = new Schema<IdempotencyDoc>(
  {
    _id: { type: String, required: true },
    fingerprint: { type: String, required: true },
    result: { type: String, default: null },
    response: { type: String, default: null },
    claimedUntil: { type: Date, default: null },
    expiresAt: { type: Date, required: true },
  },
  {
    ...STRICT,
    collection: 'idempotencyKeys',
    // The owner is the first part of the id.
    shardKey: { _id: 1 },
  },
);
idempotencySchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const idempotencyModel = (connection: Connection): Model<IdempotencyDoc> =>
  connection.model<IdempotencyDoc>('IdempotencyKey', idempotencySchema);
