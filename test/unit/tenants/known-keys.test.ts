import { expect, test } from 'vitest';
import { knownKeys } from '../../../src/features/tenants/known-keys.ts';

test('a tenant with many keys displaces only its own', () => {
  const known = knownKeys({ tenants: 3, keysPerTenant: 2 });
  known.add('one', 1);
  known.add('admin', null);
  for (let i = 0; i < 100; i += 1) known.add(`many${i}`, 2);
  expect(['one', 'admin', 'many98', 'many99'].every(known.has)).toBe(true);
  expect(known.has('many97')).toBe(false);
});

test('the least recently used tenants are displaced, with all their keys', () => {
  const known = knownKeys({ tenants: 2, keysPerTenant: 2 });
  known.add('a1', 1);
  known.add('a2', 1);
  known.add('b', 2);
  known.add('a1', 1);
  known.add('c', 3);
  expect(['a1', 'a2', 'c'].every(known.has)).toBe(true);
  expect(known.has('b')).toBe(false);
  known.add('d', 4);
  expect(['a1', 'a2', 'b'].some(known.has)).toBe(false);
});

test('a deleted key is not known', () => {
  const known = knownKeys();
  known.add('a', 1);
  known.delete('a');
  known.delete('b');
  expect(known.has('a')).toBe(false);
  known.add('a', 1);
  expect(known.has('a')).toBe(true);
});
