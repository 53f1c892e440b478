import { expect, test } from 'vitest';
import { perMinute, remainingSeconds } from '../../../src/features/meetings/progress-estimate.ts';

test('the remaining time is the rest at the speed so far', () => {
  expect(remainingSeconds(30_000, 0.25)).toBe(90);
  expect(remainingSeconds(3_000, 3 / 49)).toBe(46);
  expect(remainingSeconds(1_000, 1 / 3)).toBe(2);
  expect(remainingSeconds(30_000, 1)).toBe(0);
  // A sync has built activities beside the re-projection.
  expect(remainingSeconds(30_000, 1.5)).toBe(0);
});

test('the remaining time is unknown before any work, and without a share', () => {
  expect(remainingSeconds(0, 0.5)).toBeNull();
  expect(remainingSeconds(30_000, 0)).toBeNull();
  expect(remainingSeconds(30_000, null)).toBeNull();
});

test('the speed has one decimal, and is unknown before any work', () => {
  expect(perMinute({ activeMs: 7_000, done: 10 })).toBe(85.7);
  expect(perMinute({ activeMs: 0, done: 0 })).toBeNull();
});
