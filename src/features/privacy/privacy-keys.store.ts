import { createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import type { Model } from 'mongoose';
import { type Cipher, decryptBytes, encryptBytes } from '../../platform/cipher.ts';
import { duplicateKeyOf } from '../../platform/mongo/duplicate-key.ts';
import { type Reencryption, reencryptAll } from '../../platform/reencrypt-secrets.ts';
import type { TenantRef } from './erasure-step.ts';
import type { PrivacyKeyDoc } from './privacy.model.ts';

const KEY_BYTES = 32;

/** Binds a key to its tenant. */
const keyOwner = (customerId: number): string => `privacy:${customerId}`;

/** The key of a tenant, for hashes of identifiers and for the identifiers of an erasure in progress. */
export interface PrivacyKey {
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
  const [hashing, encrypting] = [derived(bytes, 'hash'), derived(bytes, 'encrypt')];
  return {
    hash: (identifier, purpose) =>
      createHmac('sha256', hashing).update(`${purpose}:${identifier}`).digest('base64url'),
    encrypt: (text, owner) => encryptBytes(encrypting, text, owner).toString('base64url'),
    decrypt: (ciphertext, owner) =>
      decryptBytes(encrypting, Buffer.from(ciphertext, 'base64url'), owner).toString('utf8'),
  };
}

/** Stores the tenants' keys, each encrypted under the key of the service. */
export function privacyKeyStore({ PrivacyKey }: { PrivacyKey: Model<PrivacyKeyDoc> }, cipher: Cipher) {
  /** @throws CipherError if none of the encryption keys decrypts the key */
  async function find({ customerId }: TenantRef): Promise<PrivacyKey | null> {
    const found = await PrivacyKey.findById(customerId).lean<PrivacyKeyDoc>();
    return (
      found && toPrivacyKey(Buffer.from(cipher.decrypt(found.encryptedKey, keyOwner(customerId)), 'base64'))
    );
  }

  return {
    find,

    /** @throws CipherError as `find` does */
    async findOrCreate(tenant: TenantRef): Promise<PrivacyKey> {
      const found = await find(tenant);
      if (found) return found;
      const { customerId } = tenant;
      const bytes = randomBytes(KEY_BYTES);
      const encryptedKey = cipher.encrypt(bytes.toString('base64'), keyOwner(customerId));
      try {
        await PrivacyKey.create({ _id: customerId, encryptedKey });
        return toPrivacyKey(bytes);
      } catch (error) {
        // Another process has created it.
        const other = duplicateKeyOf(error) === null ? null : await find(tenant);
        if (other) return other;
        throw error;
      }
    },

    /** @param readable matches what the configured encryption keys decrypt */
    hasKeyUnderUnknownKey: async (readable: RegExp): Promise<boolean> =>
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
