import { Types } from 'mongoose';
import { expect, test } from 'vitest';
import { createKnownKeys } from '../../../src/features/tenants/known-keys.ts';

function known(limits?: { tenants: number; keysPerTenant: number }) {
  const keys = createKnownKeys(limits);
  const add = (hash: string, customerId: number | null, readAt = 0) =>
    keys.set(hash, { value: storedKey(hash, customerId), readAt });
  return { ...keys, add };
}

const storedKey = (hash: string, customerId: number | null) => ({
  _id: new Types.ObjectId(),
  hash,
  scope: 'read' as const,
  customerId,
  prefix: 'eg_r_',
  createdAt: new Date(),
  expiresAt: null,
  lastUsedAt: null,
  revokedAt: null,
});

test('a tenant with many keys displaces only its own', () => {
  const { add, has } = known({ tenants: 3, keysPerTenant: 2 });
  add('one', 1);
  add('admin', null);
  for (let i = 0; i < 100; i += 1) add(`many${i}`, 2);
  expect(['one', 'admin', 'many98', 'many99'].every(has)).toBe(true);
  expect(has('many97')).toBe(false);
});

test('the least recently used tenants are displaced, with all their keys', () => {
  const { add, has, get } = known({ tenants: 2, keysPerTenant: 2 });
  add('a1', 1);
  add('a2', 1);
  add('b', 2);
  expect(get('a1')?.value.customerId).toBe(1);
  add('c', 3);
  expect(['a1', 'a2', 'c'].every(has)).toBe(true);
  expect(has('b')).toBe(false);
  add('d', 4);
  expect(['a1', 'a2', 'b'].some(has)).toBe(false);
  expect(get('a1')).toBeUndefined();
});

test('a key that is stored again has its latest value', () => {
  const { add, has, get } = known({ tenants: 2, keysPerTenant: 2 });
  add('a', 1, 1);
  add('a', 1, 2);
  expect([has('a'), get('a')?.readAt]).toEqual([true, 2]);
});

test('a deleted key is not known', () => {
  const keys = known();
  keys.add('a', 1);
  keys.delete('a');
  keys.delete('b');
  expect([keys.has('a'), keys.get('a')]).toEqual([false, undefined]);
  keys.add('a', 1);
  expect(keys.has('a')).toBe(true);
});
