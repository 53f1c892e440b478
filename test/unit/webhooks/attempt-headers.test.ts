import { describe, expect, test } from 'vitest';
import { readHeaders, storedHeaders } from '../../../src/features/webhooks/delivery/attempt-headers.ts';

const kept = (headers: Parameters<typeof storedHeaders>[0]) => readHeaders(storedHeaders(headers));

describe('the stored headers of a response', () => {
  test('are returned in their order, repeated ones joined', () => {
    expect(kept({ server: 'nginx: 1', via: ['a', 'b'], gone: undefined, empty: '' })).toEqual([
      { name: 'server', value: 'nginx: 1' },
      { name: 'via', value: 'a, b' },
      { name: 'empty', value: '' },
    ]);
    expect(kept({})).toEqual([]);
    expect(readHeaders(null)).toBeNull();
    expect(readHeaders(undefined)).toBeNull();
  });

  test.each([
    'set-cookie',
    'authorization',
    'proxy-authenticate',
    'x-api-key',
    'x-csrf-token',
    'x-client-secret',
    'x-session-id',
    'x-hub-signature',
  ])('do not have the value of %s', (name) => {
    expect(kept({ [name]: ['a-secret', 'b-secret'] })).toEqual([{ name, value: '***' }]);
  });

  test('are bounded in number, in length and in total', () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`x-${n}`, 'v']));
    expect(kept(many)).toHaveLength(30);
    expect(kept({ 'x-long': 'x'.repeat(5_000) })).toEqual([{ name: 'x-long', value: 'x'.repeat(200) }]);
    const large = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`x-${n}`, 'v'.repeat(200)]));
    expect(storedHeaders(large).length).toBeLessThanOrEqual(2_048);
    expect(storedHeaders({ [`x-${'n'.repeat(5_000)}`]: 'v' })).toBe('');
  });
});
