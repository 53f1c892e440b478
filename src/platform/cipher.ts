import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hash,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const VERSION = 'v1';
/** Bytes of the nonce and of the tag: the sizes of NIST SP 800-38D for AES-GCM. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEX_KEY = /^[0-9a-fA-F]{64}$/;
const SEALED = /^v1\.([0-9a-f]{8})\.([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{22,})$/;

/** Why a sealed value could not be opened. The message carries neither a key nor a secret. */
export class CipherError extends Error {
  /** `malformed`: not a sealed value; `unknown_key`: sealed under a key not given; `not_authentic`: see `open`. */
  readonly reason: 'malformed' | 'unknown_key' | 'not_authentic';

  constructor(reason: CipherError['reason'], message: string) {
    super(message);
    this.name = 'CipherError';
    this.reason = reason;
  }
}

/** Encrypts what the service must be able to read again: signing secrets and provider keys. */
export interface Cipher {
  /** Identifier of the key that `seal` uses: the first 8 hexadecimal digits of its SHA-256. */
  readonly primaryKeyId: string;
  /**
   * Encrypts under the first key with a fresh nonce.
   * `aad` names the owner (`endpoint:42`): a sealed value that is copied to another owner does not open.
   * Answers `v1.<key id>.<nonce>.<cipher text and tag>`, the last two in base64url.
   */
  seal(plain: string, aad: string): string;
  /**
   * Decrypts with whichever key it was sealed under.
   * Throws `CipherError`; `not_authentic` when the value was changed or belongs to another owner than `aad`.
   */
  open(sealed: string, aad: string): string;
  /** The same value under the first key; null when it is already. Throws as `open`. */
  reseal(sealed: string, aad: string): string | null;
  /** Identifier of the key that a value was sealed under; throws `CipherError` (`malformed`). */
  keyIdOf(sealed: string): string;
}

/** Takes a sealed value apart, without looking inside. */
function parse(sealed: string): { keyId: string; nonce: Buffer; body: Buffer } {
  const [, keyId, nonce, body] = SEALED.exec(sealed) ?? [];
  if (!keyId || !nonce || !body) throw new CipherError('malformed', 'This is not a sealed value.');
  return { keyId, nonce: Buffer.from(nonce, 'base64url'), body: Buffer.from(body, 'base64url') };
}

/** Keys by their identifier, in the order given. */
function keyRing(keys: readonly string[]): Map<string, KeyObject> {
  const ring = new Map<string, KeyObject>();
  for (const [index, key] of keys.entries()) {
    if (!HEX_KEY.test(key))
      throw new TypeError(`Encryption key ${index + 1} is not 64 hexadecimal characters.`);
    const bytes = Buffer.from(key, 'hex');
    ring.set(hash('sha256', bytes).slice(0, 8), createSecretKey(bytes));
  }
  return ring;
}

/**
 * AES-256-GCM over a list of keys, 64 hexadecimal characters each: the first encrypts, all decrypt
 * (`CONNECTOR_ENCRYPTION_KEY`, contract 2). Throws a `TypeError` for an empty list or a malformed key.
 */
export function createCipher(keys: readonly string[]): Cipher {
  const ring = keyRing(keys);
  const [primary] = ring;
  if (!primary) throw new TypeError('At least one encryption key is needed.');
  const [primaryKeyId, primaryKey] = primary;

  const cipher: Cipher = {
    primaryKeyId,

    seal(plain, aad) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, primaryKey, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(aad));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${VERSION}.${primaryKeyId}.${nonce.toString('base64url')}.${body.toString('base64url')}`;
    },

    open(sealed, aad) {
      const { keyId, nonce, body } = parse(sealed);
      const key = ring.get(keyId);
      if (!key) {
        const known = [...ring.keys()].join(', ');
        throw new CipherError(
          'unknown_key',
          `Sealed under key ${keyId}, which is not among the keys given (${known}).`,
        );
      }
      const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(aad));
      decipher.setAuthTag(body.subarray(-TAG_BYTES));
      try {
        return decipher.update(body.subarray(0, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
      } catch {
        throw new CipherError('not_authentic', 'The sealed value was changed, or belongs to another owner.');
      }
    },

    reseal: (sealed, aad) =>
      parse(sealed).keyId === primaryKeyId ? null : cipher.seal(cipher.open(sealed, aad), aad),

    keyIdOf: (sealed) => parse(sealed).keyId,
  };
  return cipher;
}
