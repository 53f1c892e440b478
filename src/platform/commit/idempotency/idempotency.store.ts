import type { Model } from 'mongoose';
import { duplicateKeyOf } from '../../mongo/duplicate-key.ts';
import { rawCollection } from '../../mongo/raw-collection.ts';
import { READ_LIMIT } from '../../mongo/read-limits.ts';
import { change, insertion, removal, type Write } from '../unit-of-work.ts';
import type { IdempotencyDoc } from './idempotency.model.ts';

/** Fields that contain ciphertext. */
export type EncryptedField = 'result' | 'response';

type Identity = Pick<IdempotencyDoc, '_id' | 'fingerprint'>;

/**
 * Records of requests with an `Idempotency-Key`. A change of a record names its fingerprint, so that a request that has
 * lost its claim does not change the record of a later one with another input.
 */
export function idempotencyStore(Idempotency: Model<IdempotencyDoc>) {
  const collection = rawCollection(Idempotency);

  return {
    find: (id: string): Promise<IdempotencyDoc | null> => collection.findOne({ _id: id }, READ_LIMIT),
    insertion: (record: IdempotencyDoc): Write => insertion(Idempotency, record),
    /** Write without an effect: once it is committed, no failover undoes the result of a record. */
    confirmation: ({ _id, result }: IdempotencyDoc): Write =>
      change(Idempotency, { _id, result }, { $set: { result } }),
    /** Removes an expired record that the TTL index has not removed yet. */
    removal: ({ _id, expiresAt }: IdempotencyDoc): Write => removal(Idempotency, { _id, expiresAt }),

    /** Inserts the record of a request in progress; returns false if the key has a record. */
    async claim(record: IdempotencyDoc, now: Date): Promise<boolean> {
      await collection.deleteOne({ _id: record._id, expiresAt: { $lte: now } });
      try {
        await collection.insertOne(record);
        return true;
      } catch (error) {
        if (duplicateKeyOf(error) === null) throw error;
        return false;
      }
    },

    /** Stores the response to a claimed request. */
    async completeClaim({ _id, fingerprint }: Identity, response: string): Promise<void> {
      await collection.updateOne({ _id, fingerprint }, { $set: { response } });
    },

    /** Removes the claim of a request that failed. */
    async release({ _id, fingerprint }: Identity): Promise<void> {
      await collection.deleteOne({ _id, fingerprint, response: null });
    },

    /** Marks a claimed request as ended without a stored response. */
    async abandon({ _id, fingerprint }: Identity, now: Date): Promise<void> {
      await collection.updateOne({ _id, fingerprint, response: null }, { $set: { claimedUntil: now } });
    },

    /**
     * Stores the response to a request; if the request made a change, its commit has written the record. Not journaled: a
     * lost response is recomputed from the result of the commit.
     */
    async saveResponse({ _id, fingerprint, expiresAt }: IdempotencyDoc, response: string): Promise<void> {
      try {
        await collection.updateOne(
          { _id, fingerprint },
          { $set: { response }, $setOnInsert: { result: null, claimedUntil: null, expiresAt } },
          { upsert: true, writeConcern: { w: 1 } },
        );
      } catch (error) {
        // A request with another input has stored its outcome first; this request has changed nothing.
        if (duplicateKeyOf(error) === null) throw error;
      }
    },

    /**
     * Returns records of a tenant whose request is not in progress, in the order of their ids.
     *
     * @param expiresAfter leaves out records that expire earlier; null for all records
     */
    ofTenant: (
      customerId: number,
      {
        after,
        limit,
        now,
        expiresAfter,
      }: { after: string | null; limit: number; now: Date; expiresAfter: Date | null },
    ): Promise<IdempotencyDoc[]> =>
      collection
        .find(
          {
            _id: { $gt: after ?? `${customerId}:`, $lt: `${customerId};` },
            $or: [{ response: { $ne: null } }, { claimedUntil: null }, { claimedUntil: { $lte: now } }],
            ...(expiresAfter && { expiresAt: { $gte: expiresAfter } }),
          },
          READ_LIMIT,
        )
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),

    async remove(ids: readonly string[]): Promise<void> {
      await collection.deleteMany({ _id: { $in: [...ids] } });
    },

    /** Records whose field is not encrypted as the pattern says. */
    notMatching: (field: EncryptedField, pattern: RegExp) =>
      collection.find({ [field]: { $ne: null, $not: pattern } }).sort({ _id: 1 }),

    /** Replaces a ciphertext unless it has changed in the meantime; returns true if it replaced it. */
    async replace({ _id }: IdempotencyDoc, field: EncryptedField, [from, to]: [string, string]) {
      const { modifiedCount } = await collection.updateOne({ _id, [field]: from }, { $set: { [field]: to } });
      return modifiedCount === 1;
    },
  };
}

export type IdempotencyStore = ReturnType<typeof idempotencyStore>;
