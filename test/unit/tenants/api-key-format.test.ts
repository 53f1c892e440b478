import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  API_KEY_PATTERN,
  apiKeyPrefix,
  hashApiKey,
  newApiKey,
} from '../../../src/features/tenants/api-key.ts';

describe('a new API key', () => {
  test.each([
    ['read', 'eg_r_'],
    ['write', 'eg_w_'],
    ['admin', 'eg_a_'],
  ] as const)('of scope %s starts with %s and carries 32 random bytes', (scope, start) => {
    const key = newApiKey(scope);
    expect(key.startsWith(start)).toBe(true);
    expect(key).toMatch(API_KEY_PATTERN);
    expect(Buffer.from(key.slice(5), 'base64url')).toHaveLength(32);
  });

  test('is different each time', () => {
    expect(new Set(Array.from({ length: 200 }, () => newApiKey('read'))).size).toBe(200);
  });
});

test.each([
  '',
  'eg_x_',
  'eg_r_short',
  `eg_r_${'a'.repeat(44)}`,
  `eg_q_${'a'.repeat(43)}`,
  ` eg_r_${'a'.repeat(43)}`,
  `eg_r_${'a'.repeat(43)}\n`,
])('API_KEY_PATTERN rejects what is not a key (%#)', (text) => {
  expect(API_KEY_PATTERN.test(text)).toBe(false);
});

test('a key is stored as its SHA-256 in hexadecimal', () => {
  expect(hashApiKey('eg_r_abc')).toBe(createHash('sha256').update('eg_r_abc').digest('hex'));
});

test('lists show the scope of a key and six characters', () => {
  expect(apiKeyPrefix(`eg_w_${'abcdef'}${'x'.repeat(37)}`)).toBe('eg_w_abcdef');
});
