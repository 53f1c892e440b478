import { createSecretKey, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  decryptRecord,
  encryptRecord,
  MAX_RECORD_BYTES,
} from '../../../src/features/meetings/provider-records/record-codec.ts';

const key = { id: 'k1', key: createSecretKey(randomBytes(32)) };
const stored = (json: string) => ({ _id: '7:m_1', customerId: 7, ...encryptRecord({ key, json }, '7:m_1') });

test('a stored record that is too large cannot be read, as one that was modified', () => {
  const longest = 'x'.repeat(MAX_RECORD_BYTES - 2);
  expect(decryptRecord(key, stored(JSON.stringify(longest)) as never)).toBe(longest);
  expect(decryptRecord(key, stored(JSON.stringify(`${longest}x`)) as never)).toBeUndefined();
});
