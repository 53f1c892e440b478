import { type Cipher, CipherError, encryptedUnder } from '../../cipher.ts';
import type { Logger } from '../../logger.ts';
import { type Reencryption, reencryptAll } from '../../reencrypt-secrets.ts';
import type { EncryptedField, IdempotencyStore } from './idempotency.store.ts';
import { noResponse } from './idempotency-errors.ts';

interface Deps {
  store: IdempotencyStore;
  cipher: Cipher;
  log: Logger;
}

/** Returns the owner that the ciphertexts of a record are bound to. */
const ownerOf = (id: string): string => `idempotency:${id}`;

/** Creates the encryption of stored outcomes: their ciphertexts are bound to the record. */
export function createOutcomeEncryption({ store, cipher, log }: Deps) {
  /** Returns null for a value whose key is not configured: it expires within a day, and until then its key is refused. */
  function reencrypt(id: string, ciphertext: string | null): string | null {
    try {
      return ciphertext && cipher.reencrypt(ciphertext, ownerOf(id));
    } catch (error) {
      if (error instanceof CipherError) return null;
      throw error;
    }
  }

  return {
    encrypt: (id: string, text: string): string => cipher.encrypt(text, ownerOf(id)),

    /** @throws AppError `CONFLICT` if the encryption key is no longer configured */
    decrypt(id: string, ciphertext: string): string {
      try {
        return cipher.decrypt(ciphertext, ownerOf(id));
      } catch (error) {
        if (!(error instanceof CipherError)) throw error;
        log.warn({ err: error }, 'failed to decrypt the stored response of an Idempotency-Key');
        throw noResponse();
      }
    },

    /** Re-encrypts the stored outcomes that are encrypted under an older key. */
    async rotateSecrets(): Promise<Reencryption> {
      const isPrimary = encryptedUnder([cipher.primaryKeyId]);
      const rotate = (field: EncryptedField): Promise<Reencryption> =>
        reencryptAll(
          store.notMatching(field, isPrimary),
          (record) => reencrypt(record._id, record[field]),
          (record, ciphertext) => store.replace(record, field, [record[field] ?? '', ciphertext]),
        );
      const [results, responses] = [await rotate('result'), await rotate('response')];
      return {
        checked: results.checked + responses.checked,
        reencrypted: results.reencrypted + responses.reencrypted,
      };
    },
  };
}
