import { expect, test } from 'vitest';
import { nullAfter } from '../../../src/platform/null-after.ts';

test('returns the result of work that completes in time', async () => {
  expect(await nullAfter(1_000, async () => 'done')).toBe('done');
});

test('returns null for work that fails', async () => {
  const failing = nullAfter(1_000, async () => {
    throw new Error('down');
  });
  expect(await failing).toBeNull();
});

test('returns null for work that takes longer', async () => {
  expect(await nullAfter(10, () => new Promise(() => {}))).toBeNull();
});
