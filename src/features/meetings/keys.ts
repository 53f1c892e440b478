import type { Cipher } from '../../platform/cipher.ts';
import type { Owner } from './meetings.types.ts';

/** What a tenant's sealed provider key is bound to. */
export const keyOwner = ({ customerId }: Owner): string => `recorder:${customerId}`;

/** Provider keys, sealed and bound to their tenant. */
export const createKeyBox = (cipher: Cipher) => ({
  seal: (owner: Owner, apiKey: string): string => cipher.encrypt(apiKey, keyOwner(owner)),

  /** @throws CipherError when none of our encryption keys opens it */
  open: (owner: Owner, sealed: string): string => cipher.decrypt(sealed, keyOwner(owner)),

  /** The same key under the newest encryption key; null when it is already. */
  reseal: (owner: Owner, sealed: string): string | null => cipher.reencrypt(sealed, keyOwner(owner)),
});

export type KeyBox = ReturnType<typeof createKeyBox>;
