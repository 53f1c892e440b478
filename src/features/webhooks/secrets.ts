import { LRUCache } from 'lru-cache';
import type { Cipher } from '../../platform/cipher.ts';
import { newSecret } from './signature.ts';

/** Opened secrets kept in memory, so that an attempt does not decrypt. Keyed by the sealed value: a rotation misses. */
const CACHED = 5_000;

/** What an endpoint's sealed secret is bound to. */
export const secretOwner = (endpointId: number): string => `endpoint:${endpointId}`;

/** Signing secrets, sealed and bound to their endpoint. */
export function createSecretBox(cipher: Cipher) {
  const opened = new LRUCache<string, string>({ max: CACHED });

  return {
    /** A new secret, and how it is stored. */
    issue(endpointId: number): { secret: string; sealed: string } {
      const secret = newSecret();
      return { secret, sealed: cipher.encrypt(secret, secretOwner(endpointId)) };
    },
    open(endpointId: number, sealed: string): string {
      const key = `${endpointId}:${sealed}`;
      let secret = opened.get(key);
      if (secret === undefined) {
        secret = cipher.decrypt(sealed, secretOwner(endpointId));
        opened.set(key, secret);
      }
      return secret;
    },
    /** The same secret under the newest key; null when it is already. */
    reseal: (endpointId: number, sealed: string): string | null =>
      cipher.reencrypt(sealed, secretOwner(endpointId)),
  };
}

export type SecretBox = ReturnType<typeof createSecretBox>;
