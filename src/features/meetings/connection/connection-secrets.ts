import type { Cipher } from '../../../platform/cipher.ts';
import type { Owner } from '../meetings.types.ts';

/** Returns the owner that a tenant's encrypted provider key is bound to. */
export const keyOwner = ({ customerId }: Owner): string => `recorder:${customerId}`;

/** Returns the owner that the encrypted signing secret of a tenant's webhooks is bound to. */
export const hookSecretOwner = ({ customerId }: Owner): string => `recorderHook:${customerId}`;

/** Encrypts secrets, each bound to its tenant and purpose. */
export const createTenantCipher = (cipher: Cipher, nameOf: (owner: Owner) => string) => ({
  encrypt: (owner: Owner, secret: string): string => cipher.encrypt(secret, nameOf(owner)),

  /** @throws CipherError when none of the encryption keys decrypts it */
  decrypt: (owner: Owner, ciphertext: string): string => cipher.decrypt(ciphertext, nameOf(owner)),

  /** Re-encrypts under the primary encryption key; returns null if the value is already encrypted under it. */
  reencrypt: (owner: Owner, ciphertext: string): string | null => cipher.reencrypt(ciphertext, nameOf(owner)),
});

export type TenantCipher = ReturnType<typeof createTenantCipher>;
