import { describe, expect, test } from 'vitest';
import { chiSquareQuantile } from '../../../src/sidecar/psi/chi-square.ts';
import { noiseFloor, rowsNeeded } from '../../../src/sidecar/psi/noise-floor.ts';
import type { Histogram } from '../../../src/sidecar/psi/psi.ts';

const histogram = (bins: readonly number[], categories: readonly number[] = []): Histogram => ({
  rows: [...bins, ...categories].reduce((sum, count) => sum + count, 0),
  bins,
  categories: new Map(categories.map((count, index) => [`c${index}`, count])),
});
const uniform = (rows: number, bins = 10) => histogram(Array.from({ length: bins }, () => rows / bins));

describe('the chi-square quantile', () => {
  // scipy 1.17: scipy.stats.chi2.isf(alpha, degrees)
  test.each([
    [1e-4, 9, 33.719948438964636],
    [1e-4, 1, 15.136705226623397],
    [1e-3, 2, 13.815510557964277],
    [1e-5, 0.3, 15.682348842746348],
    [1e-3, 3_000, 3245.078830702524],
  ])('exceeded with probability %d at %d degrees is %d', (alpha, degrees, expected) => {
    expect(chiSquareQuantile(alpha, degrees) / expected).toBeCloseTo(1, 5);
  });
});

describe('the noise floor', () => {
  // numpy 2.4: 0.9999 quantile of PSI over 300,000 current sets drawn from the distribution of a uniform reference.
  test.each([
    [10_000, 30, 2.595],
    [10_000, 50, 1.647],
    [10_000, 100, 0.782],
    [300, 50, 1.763],
    [10_000, 200, 0.192],
    [1_000, 300, 0.152],
    [1_000, 1_000, 0.068],
    [10_000, 1_000, 0.037],
  ])('of ten bins with %d and %d rows is the quantile that a simulation finds', (before, now, expected) => {
    const found = noiseFloor(uniform(before), uniform(now), 10);
    expect(found / expected).toBeGreaterThan(0.6);
    expect(found / expected).toBeLessThan(1.4);
  });

  test('with a small reference is the quantile over random splits of the pooled counts', () => {
    // numpy 2.4: 0.9999 quantile of PSI over 200,000 draws of multivariate_hypergeometric([20] * 10, 100).
    const found = noiseFloor(uniform(100), uniform(100), 10);
    expect(found).toBeGreaterThan(0.7 * 0.821);
    expect(found).toBeLessThan(1.3 * 0.821);
  });

  test('is the same for the same counts, in either direction', () => {
    const [before, now] = [histogram([40, 20, 3], [7]), histogram([9, 30, 1], [1])];
    expect(noiseFloor(before, now, 10)).toBe(noiseFloor(before, now, 10));
    expect(noiseFloor(now, before, 10)).toBe(noiseFloor(before, now, 10));
  });

  test('rises with the number of comparisons, and is 0 for a single bin or an empty set', () => {
    expect(noiseFloor(uniform(300), uniform(300), 100)).toBeGreaterThan(
      noiseFloor(uniform(300), uniform(300), 2),
    );
    expect(noiseFloor(histogram([50]), histogram([80]), 10)).toBe(0);
    expect(noiseFloor(histogram([]), uniform(80), 10)).toBe(0);
  });

  test('covers thousands of rare categories, whose absence counts with a share of 1e-4', () => {
    // Each category once in the reference: none of them can be in both sets.
    const rare = Array.from({ length: 5_000 }, () => 1);
    const score = 5_000 * (1e-4 - 1e-6) * Math.log(100);
    expect(noiseFloor(histogram([995_000], rare), histogram([20_000]), 10)).toBeGreaterThan(0.5 * score);
  });
});

describe('the rows needed', () => {
  const options = { bins: 10, comparisons: 10, threshold: 0.2 };

  test.each([
    [{ reference: 10_000, current: 30 }],
    [{ reference: 10_000, current: 150 }],
    [{ reference: 1_000, current: 100 }],
  ])('are enough: %j', (rows) => {
    const needed = rowsNeeded(rows, options);
    const floorWith = (current: number) => noiseFloor(uniform(rows.reference), uniform(current), 10);
    expect(floorWith(rows.current)).toBeGreaterThan(0.2);
    expect(floorWith(rows.current + needed)).toBeLessThanOrEqual(0.2);
  });

  test.each([0, 1e-300, 1e-9])('are a 32-bit integer at the threshold %d', (threshold) => {
    for (const bins of [0, 1, 2, 100])
      for (const reference of [0, 10, 1e6]) {
        const needed = rowsNeeded({ reference, current: 10 }, { ...options, bins, threshold });
        expect(Number.isInteger(needed)).toBe(true);
        expect(needed).toBeGreaterThan(0);
        expect(needed).toBeLessThanOrEqual(2 ** 31 - 1);
      }
  });

  test('are missing in both sets if the reference is too small', () => {
    const needed = rowsNeeded({ reference: 100, current: 5_000 }, options);
    expect(noiseFloor(uniform(100 + needed), uniform(100 + needed), 10)).toBeLessThanOrEqual(0.2);
    expect(noiseFloor(uniform(100), uniform(50_000), 10)).toBeGreaterThan(0.2);
  });
});
