import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import type { Model } from 'mongoose';
import { type Cipher, CipherError } from '../../../platform/cipher.ts';
import { duplicateKeyOf } from '../../../platform/mongo/duplicate-key.ts';
import type { TenantRef } from '../../../platform/tenant-ref.ts';
import type { RecordKeyDoc } from './provider-records.model.ts';
import type { RecordKey } from './record-codec.ts';

const KEY_BYTES = 32;

/** Binds a data key to its tenant. */
const keyOwner = (customerId: number): string => `meetingRecords:${customerId}`;

/** Stores the tenants' data keys, each encrypted under the key of the service. */
export function recordKeyStore(
  { MeetingRecordKey }: { MeetingRecordKey: Model<RecordKeyDoc> },
  cipher: Cipher,
) {
  const toKey = ({ _id, keyId, encryptedKey }: RecordKeyDoc): RecordKey => ({
    id: keyId,
    key: createSecretKey(cipher.decrypt(encryptedKey, keyOwner(_id)), 'base64'),
  });

  const newKey = (customerId: number): Omit<RecordKeyDoc, '_id'> => ({
    keyId: randomUUID(),
    encryptedKey: cipher.encrypt(randomBytes(KEY_BYTES).toString('base64'), keyOwner(customerId)),
  });

  /** @throws CipherError if none of the encryption keys decrypts the data key */
  async function find({ customerId }: TenantRef): Promise<RecordKey | null> {
    // What is encrypted under a key that a failover undoes is lost, and can be on another shard than the key.
    const found = await MeetingRecordKey.findById(customerId).readConcern('majority').lean<RecordKeyDoc>();
    return found && toKey(found);
  }

  /** @throws CipherError as `find` does */
  async function findOrCreate(tenant: TenantRef): Promise<RecordKey> {
    const found = await find(tenant);
    if (found) return found;
    const { customerId } = tenant;
    const created = { _id: customerId, ...newKey(customerId) };
    try {
      await MeetingRecordKey.create(created);
      return toKey(created);
    } catch (error) {
      if (duplicateKeyOf(error) === null) throw error;
      // Another process has created it. A write without an effect waits for a majority as well.
      await MeetingRecordKey.updateOne({ _id: customerId }, { $setOnInsert: { keyId: created.keyId } });
      const other = await find(tenant);
      if (other) return other;
      throw error;
    }
  }

  return {
    find,
    findOrCreate,

    /**
     * Prepares the key of a tenant that connects: creates it, or replaces one that can no longer be decrypted. Records
     * under a replaced key cannot be read until a full resync stores them again.
     */
    async prepare(tenant: TenantRef): Promise<void> {
      const { customerId } = tenant;
      const stored = await MeetingRecordKey.findById(customerId).lean<RecordKeyDoc>();
      try {
        if (stored) toKey(stored);
        else await findOrCreate(tenant);
      } catch (error) {
        if (!stored || !(error instanceof CipherError)) throw error;
        // Only if no other process has replaced the key, since records may already be encrypted under the new one.
        await MeetingRecordKey.updateOne(
          { _id: customerId, encryptedKey: stored.encryptedKey },
          { $set: newKey(customerId) },
        );
      }
    },

    /** @param readable matches what the configured encryption keys decrypt */
    hasSecretUnderUnknownKey: async (readable: RegExp): Promise<boolean> =>
      (await MeetingRecordKey.exists({ encryptedKey: { $not: readable } })) !== null,

    /** Streams the keys of all tenants, for operator commands. */
    all: () => MeetingRecordKey.find().sort({ _id: 1 }).lean<RecordKeyDoc>().cursor(),

    /** Re-encrypts under the primary encryption key; returns null if the data key is already encrypted under it. */
    reencrypt: ({ _id, encryptedKey }: RecordKeyDoc): string | null =>
      cipher.reencrypt(encryptedKey, keyOwner(_id)),

    /** Stores the re-encrypted key; returns false if it was replaced meanwhile. */
    async replaceEncrypted({ _id, encryptedKey }: RecordKeyDoc, ciphertext: string): Promise<boolean> {
      const { modifiedCount } = await MeetingRecordKey.updateOne(
        { _id, encryptedKey },
        { $set: { encryptedKey: ciphertext } },
      );
      return modifiedCount === 1;
    },
  };
}

export type RecordKeyStore = ReturnType<typeof recordKeyStore>;
