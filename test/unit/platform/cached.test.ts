import { expect, test } from 'vitest';
import { cached } from '../../../src/platform/cached.ts';

test('loads once per age, for all concurrent callers', async () => {
  let now = 0;
  let loads = 0;
  const value = cached(
    async () => ++loads,
    1_000,
    () => now,
  );
  expect(await Promise.all([value(), value()])).toEqual([1, 1]);
  now = 999;
  expect(await value()).toBe(1);
  now = 1_000;
  expect(await Promise.all([value(), value()])).toEqual([2, 2]);
  // The clock was set back.
  now = -3_600_000;
  expect(await value()).toBe(3);
});
