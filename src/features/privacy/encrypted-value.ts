import { mongo } from 'mongoose';
import { CipherError, decryptBytes, encryptBytes } from '../../platform/cipher.ts';
import type { PrivacyKey } from './privacy-keys.store.ts';

/**
 * A stored ciphertext is binary data of a subtype of its own, so that no text of a client can be taken for one:
 * version (1 byte), id of the key (4 bytes), then nonce, ciphertext and tag as `encryptBytes` returns them.
 */
const SUBTYPE = mongo.Binary.SUBTYPE_USER_DEFINED;
const VERSION = Buffer.from([1]);
const KEY_ID_BYTES = 4;
const HEADER_BYTES = VERSION.length + KEY_ID_BYTES;

export const isEncrypted = (value: unknown): value is mongo.Binary =>
  value instanceof mongo.Binary && value.sub_type === SUBTYPE;

/**
 * Encrypts a value of any type that the database stores. Each place has a key of its own, derived from the tenant's: the
 * number of values that one key may encrypt (2^32 with random nonces) bounds the versions of one value, not the values.
 *
 * @param owner names the place of the value; decryption requires the same name
 */
export function encryptValue(key: PrivacyKey, value: unknown, owner: string): mongo.Binary {
  const plain = mongo.BSON.serialize({ value }, { ignoreUndefined: false });
  const encrypted = encryptBytes(
    key.fieldKey(owner),
    Buffer.from(plain.buffer, plain.byteOffset, plain.length),
    owner,
  );
  return new mongo.Binary(Buffer.concat([VERSION, key.id, encrypted]), SUBTYPE);
}

/**
 * @param key of the tenant; null if it has none
 * @throws CipherError `unknown_key` if the key was destroyed, `not_authentic` if the value was modified or moved
 */
export function decryptValue(key: PrivacyKey | null, { buffer }: mongo.Binary, owner: string): unknown {
  const bytes = Buffer.from(buffer.buffer, buffer.byteOffset, buffer.length);
  if (bytes.length < HEADER_BYTES || !bytes.subarray(0, VERSION.length).equals(VERSION))
    throw new CipherError('malformed', 'The value is not a ciphertext of this format.');
  if (!key?.id.equals(bytes.subarray(VERSION.length, HEADER_BYTES)))
    throw new CipherError('unknown_key', "It is encrypted under a key that is not the customer's.");
  const plain = decryptBytes(key.fieldKey(owner), bytes.subarray(HEADER_BYTES), owner);
  return mongo.BSON.deserialize(plain).value;
}
