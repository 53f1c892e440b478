import type { Cipher } from '../../../platform/cipher.ts';
import type { Owner } from '../meetings.types.ts';

/** Returns the owner that a tenant's encrypted provider key is bound to. */
export const keyOwner = ({ customerId }: Owner): string => `recorder:${customerId}`;

/** Encrypts provider keys, each bound to its tenant. */
export const createProviderKeyCipher = (cipher: Cipher) => ({
  encrypt: (owner: Owner, apiKey: string): string => cipher.encrypt(apiKey, keyOwner(owner)),

  /** @throws CipherError when none of the encryption keys decrypts it */
  decrypt: (owner: Owner, ciphertext: string): string => cipher.decrypt(ciphertext, keyOwner(owner)),

  /** Re-encrypts under the primary encryption key; returns null if the value is already encrypted under it. */
  reencrypt: (owner: Owner, ciphertext: string): string | null =>
    cipher.reencrypt(ciphertext, keyOwner(owner)),
});

export type ProviderKeyCipher = ReturnType<typeof createProviderKeyCipher>;
