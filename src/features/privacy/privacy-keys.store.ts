import { createHmac, createSecretKey, hash, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Model } from 'mongoose';
import { AppError } from '../../errors/app-error.ts';
import { type Cipher, decryptBytes, encryptBytes } from '../../platform/cipher.ts';
import type { Coherence } from '../../platform/coherence/coherence.ts';
import { type CacheEntry, coherentCache } from '../../platform/coherence/coherent-cache.ts';
import { duplicateKeyOf } from '../../platform/mongo/duplicate-key.ts';
import { type Reencryption, reencryptAll } from '../../platform/reencrypt-secrets.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import type { PrivacyKeyDoc } from './privacy.model.ts';

const KEY_BYTES = 32;
const ID_BYTES = 4;
/** Keys in memory, over all tenants. */
const MAX_CACHED_KEYS = 10_000;

/** Binds a key to its tenant. */
const keyOwner = (customerId: number): string => `privacy:${customerId}`;

/** The key of a tenant: for hashes of identifiers, the identifiers of an erasure in progress, and personal fields. */
export interface PrivacyKey {
  /** The first bytes of a hash of the key. */
  id: Buffer;
  /** Returns the key of a personal value. @param owner names the value */
  fieldKey(owner: string): KeyObject;
  /** Returns the HMAC-SHA256 of an identifier. @param purpose separates the hashes of different uses */
  hash(identifier: string, purpose: string): string;
  /** @param owner names what the text belongs to; `decrypt` requires the same name */
  encrypt(text: string, owner: string): string;
  /** @throws CipherError */
  decrypt(ciphertext: string, owner: string): string;
}

const derived = (key: Buffer, use: string): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', key, '', use, KEY_BYTES)));

function toPrivacyKey(bytes: Buffer): PrivacyKey {
  const [hashing, encrypting, fields] = [
    derived(bytes, 'hash'),
    derived(bytes, 'encrypt'),
    derived(bytes, 'fields'),
  ];
  return {
    id: Buffer.from(hash('sha256', fields.export(), 'hex').slice(0, 2 * ID_BYTES), 'hex'),
    fieldKey: (owner) => createSecretKey(createHmac('sha256', fields).update(owner).digest()),
    hash: (identifier, purpose) =>
      createHmac('sha256', hashing).update(`${purpose}:${identifier}`).digest('base64url'),
    encrypt: (text, owner) => encryptBytes(encrypting, text, owner).toString('base64url'),
    decrypt: (ciphertext, owner) =>
      decryptBytes(encrypting, Buffer.from(ciphertext, 'base64url'), owner).toString('utf8'),
  };
}

interface Deps {
  cipher: Cipher;
  coherence: Coherence;
  /** Returns false once a tenant is removed, which precedes the removal of its key. */
  hasTenant: (customerId: number) => Promise<boolean>;
}

/** Stores the tenants' keys, each encrypted under the key of the service. */
export function privacyKeyStore(
  { PrivacyKey }: { PrivacyKey: Model<PrivacyKeyDoc> },
  { cipher, coherence, hasTenant }: Deps,
) {
  const cache = coherentCache<number, PrivacyKey>({
    coherence,
    entries: new LRUCache<number, CacheEntry<PrivacyKey>>({ max: MAX_CACHED_KEYS }),
    prefix: 'privacyKey',
    toKey: Number,
    async load(customerId) {
      // What is encrypted under a key that a failover undoes is lost, and can be on another shard than the key.
      const found = await PrivacyKey.findById(customerId).readConcern('majority').lean<PrivacyKeyDoc>();
      return (
        found && toPrivacyKey(Buffer.from(cipher.decrypt(found.encryptedKey, keyOwner(customerId)), 'base64'))
      );
    },
  });

  /** @throws CipherError if none of the encryption keys decrypts the key */
  const find = ({ customerId }: TenantRef): Promise<PrivacyKey | null> => cache.get(customerId);

  return {
    find,

    /** @throws CipherError as `find` does; AppError `NOT_FOUND` for a tenant that was removed, which keeps no key */
    async findOrCreate(tenant: TenantRef): Promise<PrivacyKey> {
      const found = await find(tenant);
      if (found) return found;
      const { customerId } = tenant;
      const bytes = randomBytes(KEY_BYTES);
      const encryptedKey = cipher.encrypt(bytes.toString('base64'), keyOwner(customerId));
      try {
        await PrivacyKey.create({ _id: customerId, encryptedKey });
      } catch (error) {
        if (duplicateKeyOf(error) === null) throw error;
        // Another process has created it. A write without an effect waits for a majority as well.
        await PrivacyKey.updateOne({ _id: customerId }, { $setOnInsert: { encryptedKey } });
        const other = await find(tenant);
        if (other) return other;
        throw error;
      }
      // After the insertion: the removal of a tenant that is still there removes this key as well.
      if (await hasTenant(customerId)) return toPrivacyKey(bytes);
      await PrivacyKey.deleteOne({ _id: customerId, encryptedKey });
      throw new AppError('NOT_FOUND', `Customer ${customerId} does not exist.`);
    },

    /**
     * Destroys the key of a tenant. What it has encrypted can no longer be read, in backups either as far as they lack the
     * key, and hashes under it match nothing.
     */
    destroy: ({ customerId }: TenantRef): Promise<void> =>
      cache.change(customerId, async () => {
        await PrivacyKey.deleteOne({ _id: customerId });
      }),

    /** @param readable matches what the configured encryption keys decrypt */
    hasSecretUnderUnknownKey: async (readable: RegExp): Promise<boolean> =>
      (await PrivacyKey.exists({ encryptedKey: { $not: readable } })) !== null,

    /** Re-encrypts the keys that are under an older encryption key. */
    rotateSecrets: (): Promise<Reencryption> =>
      reencryptAll(
        PrivacyKey.find().sort({ _id: 1 }).lean<PrivacyKeyDoc>().cursor(),
        ({ _id, encryptedKey }) => cipher.reencrypt(encryptedKey, keyOwner(_id)),
        async ({ _id, encryptedKey: from }, to) => {
          const { modifiedCount } = await PrivacyKey.updateOne(
            { _id, encryptedKey: from },
            { $set: { encryptedKey: to } },
          );
          return modifiedCount === 1;
        },
      ),
  };
}

export type PrivacyKeyStore = ReturnType<typeof privacyKeyStore>;
