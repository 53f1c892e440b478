import { LRUCache } from 'lru-cache';
import type { Cipher } from '../../../platform/cipher.ts';
import { newSecret } from '../signature/sign.ts';

/** Number of decrypted secrets kept in memory. The key includes the ciphertext, so a rotated secret misses. */
const CACHED = 5_000;

/** Returns the owner that an endpoint's encrypted secret is bound to. */
export const secretOwner = (endpointId: number): string => `endpoint:${endpointId}`;

/** Signing secrets, encrypted and bound to their endpoint. */
export function createEndpointSecrets(cipher: Cipher) {
  const decrypted = new LRUCache<string, string>({ max: CACHED });

  return {
    /** Returns a new secret and its encrypted form. */
    issue(endpointId: number): { secret: string; encrypted: string } {
      const secret = newSecret();
      return { secret, encrypted: cipher.encrypt(secret, secretOwner(endpointId)) };
    },
    decrypt(endpointId: number, encrypted: string): string {
      const key = `${endpointId}:${encrypted}`;
      let secret = decrypted.get(key);
      if (secret === undefined) {
        secret = cipher.decrypt(encrypted, secretOwner(endpointId));
        decrypted.set(key, secret);
      }
      return secret;
    },
    /** Returns the secret encrypted under the newest key; null if it already is. */
    reencrypt: (endpointId: number, encrypted: string): string | null =>
      cipher.reencrypt(encrypted, secretOwner(endpointId)),
  };
}

export type EndpointSecrets = ReturnType<typeof createEndpointSecrets>;
