import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { CipherError, createCipher } from '../../../src/platform/cipher.ts';

const newKey = () => randomBytes(32).toString('hex');
const reasonOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof CipherError) return error.reason;
    throw error;
  }
  return 'none';
};

describe('encrypt and decrypt', () => {
  test.each(['whsec_c2VjcmV0', '', 'Grüße 日本 👋', 'x'.repeat(10_000)])(
    'return the original value (%#)',
    (plain) => {
      const cipher = createCipher([newKey()]);
      expect(cipher.decrypt(cipher.encrypt(plain, 'endpoint:1'), 'endpoint:1')).toBe(plain);
    },
  );

  test('the sealed form names its key and reveals nothing of the value', () => {
    const cipher = createCipher([newKey()]);
    const ciphertext = cipher.encrypt('whsec_c2VjcmV0', 'endpoint:1');
    expect(ciphertext).toMatch(/^v1\.[0-9a-f]{8}\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]+$/);
    expect(ciphertext.split('.')[1]).toBe(cipher.primaryKeyId);
    expect(Buffer.from(ciphertext.split('.')[3] ?? '', 'base64url').toString('latin1')).not.toContain(
      'whsec_',
    );
  });

  test('the same value is encrypted with a fresh nonce each time', () => {
    const cipher = createCipher([newKey()]);
    const nonces = Array.from({ length: 200 }, () => cipher.encrypt('same', 'endpoint:1').split('.')[2]);
    expect(new Set(nonces).size).toBe(200);
  });

  test('a value copied to another owner cannot be decrypted', () => {
    const cipher = createCipher([newKey()]);
    const ciphertext = cipher.encrypt('whsec_c2VjcmV0', 'endpoint:1');
    expect(reasonOf(() => cipher.decrypt(ciphertext, 'endpoint:2'))).toBe('not_authentic');
  });

  test('a value with a changed byte in its nonce, ciphertext or tag cannot be decrypted', () => {
    const cipher = createCipher([newKey()]);
    const [version, keyId, nonce = '', body = ''] = cipher.encrypt('secret', 'endpoint:1').split('.');
    const flipped = (text: string, at: number) => {
      const bytes = Buffer.from(text, 'base64url');
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      return bytes.toString('base64url');
    };
    for (let at = 0; at < 12; at += 1) {
      const ciphertext = [version, keyId, flipped(nonce, at), body].join('.');
      expect(reasonOf(() => cipher.decrypt(ciphertext, 'endpoint:1'))).toBe('not_authentic');
    }
    for (let at = 0; at < 6 + 16; at += 1) {
      const ciphertext = [version, keyId, nonce, flipped(body, at)].join('.');
      expect(reasonOf(() => cipher.decrypt(ciphertext, 'endpoint:1'))).toBe('not_authentic');
    }
  });

  test.each([
    '',
    'plain text',
    'v2.00000000.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA',
    'v1.00000000.AAAA.AAAAAAAAAAAAAAAAAAAAAA',
    'v1.00000000.AAAAAAAAAAAAAAAA.AAAA',
  ])('a malformed ciphertext is rejected (%#)', (ciphertext) => {
    const cipher = createCipher([newKey()]);
    expect(reasonOf(() => cipher.decrypt(ciphertext, 'endpoint:1'))).toBe('malformed');
    expect(reasonOf(() => cipher.keyIdOf(ciphertext))).toBe('malformed');
  });
});

describe('key rotation', () => {
  test('the first key encrypts, and every key decrypts', () => {
    const [older, newer] = [newKey(), newKey()];
    const before = createCipher([older]);
    const ciphertext = before.encrypt('secret', 'endpoint:1');
    const after = createCipher([newer, older]);

    expect(after.decrypt(ciphertext, 'endpoint:1')).toBe('secret');
    expect(after.keyIdOf(ciphertext)).toBe(before.primaryKeyId);
    expect(after.keyIdOf(after.encrypt('secret', 'endpoint:1'))).toBe(createCipher([newer]).primaryKeyId);
  });

  test('a value of a removed key fails with the name of the missing key, and reveals no key', () => {
    const [lost, present] = [newKey(), newKey()];
    const before = createCipher([lost]);
    const ciphertext = before.encrypt('secret', 'endpoint:1');
    const cipher = createCipher([present]);

    expect(reasonOf(() => cipher.decrypt(ciphertext, 'endpoint:1'))).toBe('unknown_key');
    expect(() => cipher.decrypt(ciphertext, 'endpoint:1')).toThrow(before.primaryKeyId);
    expect(() => cipher.decrypt(ciphertext, 'endpoint:1')).not.toThrow(new RegExp(present));
  });

  test('a key is the same in upper-case and lower-case hexadecimal digits', () => {
    const key = newKey();
    const ciphertext = createCipher([key]).encrypt('secret', 'endpoint:1');
    expect(createCipher([key.toUpperCase()]).decrypt(ciphertext, 'endpoint:1')).toBe('secret');
  });
});

describe('the list of encryption keys', () => {
  test('must not be empty', () => {
    expect(() => createCipher([])).toThrow('At least one encryption key');
  });

  test('reports a malformed key by its position, without revealing it', () => {
    const bad = 'abc123';
    expect(() => createCipher([newKey(), bad])).toThrow('Encryption key 2 is not 64 hexadecimal characters.');
    expect(() => createCipher([bad])).not.toThrow(/abc123/);
  });
});
