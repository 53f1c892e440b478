import { LRUCache } from 'lru-cache';
import { type Cipher, CipherError } from '../../../platform/cipher.ts';
import { newSecret } from '../signature/sign.ts';
import type { EndpointDoc } from './endpoint.model.ts';

/** Number of decrypted secrets kept in memory. The key includes the ciphertext, so a rotated secret misses. */
const CACHED = 5_000;

type EndpointIdentity = Pick<EndpointDoc, 'customerId' | 'id'>;

/** Returns the owner that an endpoint's encrypted secret is bound to. */
const ownerOf = ({ customerId, id }: EndpointIdentity): string => `endpoint:${customerId}:${id}`;

/** Returns the owner in secrets of earlier builds, which named no tenant; `secrets rotate` replaces it. */
const formerOwnerOf = ({ id }: EndpointIdentity): string => `endpoint:${id}`;

/** Decrypts a signing secret. @throws CipherError */
export function decryptSecret(cipher: Cipher, endpoint: EndpointIdentity, encrypted: string) {
  try {
    return { secret: cipher.decrypt(encrypted, ownerOf(endpoint)), isBoundToTenant: true };
  } catch (error) {
    if (!(error instanceof CipherError) || error.reason !== 'not_authentic') throw error;
    return { secret: cipher.decrypt(encrypted, formerOwnerOf(endpoint)), isBoundToTenant: false };
  }
}

/** Signing secrets, encrypted and bound to their tenant and endpoint. */
export function createEndpointSecrets(cipher: Cipher) {
  const decrypted = new LRUCache<string, string>({ max: CACHED });

  return {
    /** Returns a new secret and its encrypted form. */
    issue(endpoint: EndpointIdentity): { secret: string; encrypted: string } {
      const secret = newSecret();
      return { secret, encrypted: cipher.encrypt(secret, ownerOf(endpoint)) };
    },
    decrypt(endpoint: EndpointIdentity, encrypted: string): string {
      const key = `${ownerOf(endpoint)}:${encrypted}`;
      let secret = decrypted.get(key);
      if (secret === undefined) {
        ({ secret } = decryptSecret(cipher, endpoint, encrypted));
        decrypted.set(key, secret);
      }
      return secret;
    },
    /** Returns the secret encrypted under the newest key and bound to its tenant; null if it already is. */
    reencrypt(endpoint: EndpointIdentity, encrypted: string): string | null {
      const { secret, isBoundToTenant } = decryptSecret(cipher, endpoint, encrypted);
      if (isBoundToTenant && cipher.keyIdOf(encrypted) === cipher.primaryKeyId) return null;
      return cipher.encrypt(secret, ownerOf(endpoint));
    },
  };
}

export type EndpointSecrets = ReturnType<typeof createEndpointSecrets>;
