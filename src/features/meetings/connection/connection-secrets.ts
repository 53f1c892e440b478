import type { Cipher } from '../../../platform/cipher.ts';
import type { TenantRef } from '../../../platform/tenant-ref.ts';

/** Returns the owner that binds a tenant's encrypted provider key. */
export const keyOwner = ({ customerId }: TenantRef): string => `recorder:${customerId}`;

/** Returns the owner that binds the encrypted signing secret of a tenant's webhooks. */
export const hookSecretOwner = ({ customerId }: TenantRef): string => `recorderHook:${customerId}`;

/** Encrypts secrets, each bound to its tenant and purpose. */
export const createTenantCipher = (cipher: Cipher, nameOf: (tenant: TenantRef) => string) => ({
  encrypt: (tenant: TenantRef, secret: string): string => cipher.encrypt(secret, nameOf(tenant)),

  /** @throws CipherError when none of the encryption keys decrypts it */
  decrypt: (tenant: TenantRef, ciphertext: string): string => cipher.decrypt(ciphertext, nameOf(tenant)),

  /** Re-encrypts under the primary encryption key; returns null if the value is already encrypted under it. */
  reencrypt: (tenant: TenantRef, ciphertext: string): string | null =>
    cipher.reencrypt(ciphertext, nameOf(tenant)),
});

export type TenantCipher = ReturnType<typeof createTenantCipher>;
