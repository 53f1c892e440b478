import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const VERSION = 'v1';
/** Sizes for AES-GCM from NIST SP 800-38D. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const DIGEST_KEY_BYTES = 32;
const HEX_KEY = /^[0-9a-fA-F]{64}$/;
/** Returns a pattern for database queries that matches the ciphertexts under these keys. */
export const encryptedUnder = (keyIds: readonly string[]): RegExp =>
  new RegExp(`^${VERSION}\\.(?:${keyIds.join('|')})\\.`);
/** Matches the ciphertexts under any key. */
export const CIPHERTEXT = /^v1\.([0-9a-f]{8})\.([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{22,})$/;

/** Reports a value that cannot be decrypted. The message contains neither a key nor a secret. */
export class CipherError extends Error {
  /** `malformed`: not a ciphertext of this format; `unknown_key`: its key is not configured; `not_authentic`: see `decrypt`. */
  readonly reason: 'malformed' | 'unknown_key' | 'not_authentic';

  constructor(reason: CipherError['reason'], message: string) {
    super(message);
    this.name = 'CipherError';
    this.reason = reason;
  }
}

/** Encrypts secrets that the service has to read again: signing secrets and provider keys. */
export interface Cipher {
  /** Identifier of the primary key, which `encrypt` uses: the first 8 hexadecimal digits of its SHA-256. */
  readonly primaryKeyId: string;
  /** Identifiers of all configured keys, the primary one first. */
  readonly keyIds: readonly string[];
  /**
   * Encrypts under the primary key with a fresh nonce.
   * @param aad names the owner (`endpoint:42`): a ciphertext that is copied to another owner cannot be decrypted
   * @returns `v1.<key id>.<nonce>.<ciphertext and tag>`, the last two in base64url
   */
  encrypt(plain: string, aad: string): string;
  /**
   * Decrypts with the key named in the value.
   * @throws CipherError `not_authentic` if the value was modified or belongs to an owner other than `aad`
   */
  decrypt(ciphertext: string, aad: string): string;
  /** Re-encrypts under the primary key; returns null if the value is already encrypted under it. @throws CipherError */
  reencrypt(ciphertext: string, aad: string): string | null;
  /**
   * Returns a digest that is equal for equal secrets. Computing it requires the primary key.
   * @param purpose separates the digests of different uses
   */
  digest(secret: string, purpose: string): string;
  /** Returns the identifier of the key of a ciphertext. @throws CipherError `malformed` */
  keyIdOf(ciphertext: string): string;
}

function parse(ciphertext: string): { keyId: string; bytes: Buffer } {
  const [, keyId, nonce, body] = CIPHERTEXT.exec(ciphertext) ?? [];
  if (!keyId || !nonce || !body) throw new CipherError('malformed', 'The value is not a valid ciphertext.');
  return { keyId, bytes: Buffer.concat([Buffer.from(nonce, 'base64url'), Buffer.from(body, 'base64url')]) };
}

/**
 * Encrypts under a key with a fresh nonce. A key may encrypt up to 2^32 values: nonces are random.
 *
 * @param aad names the owner; decryption requires the same name
 * @returns nonce, ciphertext and tag
 */
export function encryptBytes(key: KeyObject, plain: string | Buffer, aad: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(aad));
  const ciphertext = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain);
  return Buffer.concat([nonce, ciphertext, cipher.final(), cipher.getAuthTag()]);
}

/**
 * Decrypts a value of `encryptBytes`.
 * @throws CipherError `not_authentic` if the value was modified or belongs to an owner other than `aad`
 */
export function decryptBytes(key: KeyObject, encrypted: Buffer, aad: string): Buffer {
  try {
    const nonce = encrypted.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(aad));
    decipher.setAuthTag(encrypted.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(encrypted.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    throw new CipherError('not_authentic', 'The ciphertext was modified or belongs to another owner.');
  }
}

/** Returns the keys by their identifier, in the given order. */
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
 * Creates an AES-256-GCM cipher over a list of keys of 64 hexadecimal characters: the first, primary key encrypts, all
 * keys decrypt (`CONNECTOR_ENCRYPTION_KEY`, contract 2).
 * @throws TypeError if the list is empty or a key is malformed
 */
export function createCipher(keys: readonly string[]): Cipher {
  const ring = keyRing(keys);
  const [primary] = ring;
  if (!primary) throw new TypeError('At least one encryption key is required.');
  const [primaryKeyId, primaryKey] = primary;

  const cipher: Cipher = {
    primaryKeyId,
    keyIds: [...ring.keys()],

    encrypt(plain, aad) {
      const bytes = encryptBytes(primaryKey, plain, aad);
      const [nonce, body] = [bytes.subarray(0, NONCE_BYTES), bytes.subarray(NONCE_BYTES)];
      return `${VERSION}.${primaryKeyId}.${nonce.toString('base64url')}.${body.toString('base64url')}`;
    },

    decrypt(ciphertext, aad) {
      const { keyId, bytes } = parse(ciphertext);
      const key = ring.get(keyId);
      if (!key) {
        const configured = [...ring.keys()].join(', ');
        throw new CipherError(
          'unknown_key',
          `Encrypted under key ${keyId}, which is not among the configured keys (${configured}).`,
        );
      }
      return decryptBytes(key, bytes, aad).toString('utf8');
    },

    reencrypt: (ciphertext, aad) =>
      parse(ciphertext).keyId === primaryKeyId ? null : cipher.encrypt(cipher.decrypt(ciphertext, aad), aad),

    digest: (secret, purpose) =>
      createHmac('sha256', Buffer.from(hkdfSync('sha256', primaryKey, '', purpose, DIGEST_KEY_BYTES)))
        .update(secret)
        .digest('hex'),

    keyIdOf: (ciphertext) => parse(ciphertext).keyId,
  };
  return cipher;
}
