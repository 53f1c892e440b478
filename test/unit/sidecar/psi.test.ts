import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emptyScope } from '../../../src/sidecar/profiles/profile-scopes.ts';
import {
  addBlock,
  currentEdges,
  emptyTally,
  histogramsOf,
} from '../../../src/sidecar/profiles/profile-tally.ts';
import { binsOf, edgesOf } from '../../../src/sidecar/profiles/quantile-bins.ts';
import { distributionOf } from '../../../src/sidecar/profiles/value-distribution.ts';
import { ALL_VALUES } from '../../../src/sidecar/profiles/value-windows.ts';
import { compareSets } from '../../../src/sidecar/psi/compare-sets.ts';
import { type Histogram, psi } from '../../../src/sidecar/psi/psi.ts';
import { valuesAtRanks } from '../../../src/sidecar/psi/rank-selection.ts';
import { encodeRows } from '../../../src/sidecar/samples/encode-rows.ts';
import cases from './psi-cases.json' with { type: 'json' };

type Values = (number | string | null)[];

/** The score of one feature, by the same steps as in the sidecar. */
function score(reference: Values, current: Values): number {
  const scope = emptyScope();
  for (const [set, values] of Object.entries({ reference, current })) {
    const tally = emptyTally(set as 'reference' | 'current');
    scope.tallies.set(set, tally);
    addBlock(scope, tally, encodeRows(values.map((x) => ({ features: { x }, prediction: 0 }))).block);
  }
  const { edges } = currentEdges(scope);
  const compared = compareSets(
    histogramsOf(scope, edges, 'reference'),
    histogramsOf(scope, edges, 'current'),
  );
  return compared.find(({ feature }) => feature === 'x')?.score ?? Number.NaN;
}

const quantileEdges = (values: Float64Array): number[] =>
  edgesOf(distributionOf(values, ALL_VALUES), ALL_VALUES) ?? [];

describe('PSI of a feature matches values that numpy computed independently (psi_cases.py)', () => {
  test.each(cases)('$name', ({ reference, current, psi: expected }) => {
    expect(score(reference, current)).toBeCloseTo(expected, 10);
  });
});

describe('the edges of a reference', () => {
  test('are its 10, 20, … 90 % quantiles by linear interpolation', () => {
    expect(quantileEdges(Float64Array.of(0, 10))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(quantileEdges(Float64Array.from({ length: 101 }, (_, index) => 100 - index))).toEqual([
      10, 20, 30, 40, 50, 60, 70, 80, 90,
    ]);
  });

  test('are exact where binary fractions are not: the 70 % quantile of 91 values is the 64th', () => {
    expect(0.7 * 90).not.toBe(63);
    expect(quantileEdges(Float64Array.from({ length: 91 }, (_, index) => index))[6]).toBe(63);
  });

  test('are merged if they are equal, and none exist without values', () => {
    expect(quantileEdges(Float64Array.of(3, 3, 3))).toEqual([3]);
    expect(quantileEdges(Float64Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 9))).toEqual([0, 9]);
    expect(quantileEdges(new Float64Array())).toEqual([]);
  });

  test('define bins that exclude their lower edge and include their upper one, with open outer bins', () => {
    const numbers = Float64Array.of(-1e300, 1, 1.5, 2, 2.5, 1e300, Number.NaN);
    const distribution = distributionOf(numbers, ALL_VALUES);
    expect([...binsOf(distribution, ALL_VALUES, [1, 2])]).toEqual([2, 2, 2]);
  });

  test('are selected from the same values as by sorting', () => {
    const value = fc.oneof(
      fc.double({ noNaN: true }),
      fc.integer({ min: -3, max: 3 }),
      fc.constantFrom(0, -0, 1, 5e-324),
    );
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 200, max: 400 }),
        (few, times) => {
          const values = Float64Array.from(
            { length: few.length * times },
            (_, index) => few[index % few.length] ?? 0,
          );
          const sorted = values.slice().sort();
          const ranks = [0, values.length >> 1, values.length - 1, few.length];
          const found = valuesAtRanks(values, ranks);
          for (const rank of ranks) expect(found.get(rank)).toBe(sorted[rank]);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('PSI', () => {
  const counts = fc.array(fc.nat({ max: 50 }), { minLength: 1, maxLength: 11 });
  const histogram = (numbers: readonly number[], words: readonly number[], missing: number): Histogram => ({
    rows: [...numbers, ...words, missing].reduce((sum, count) => sum + count, 0),
    bins: numbers,
    categories: new Map(words.map((count, index) => [`c${index}`, count])),
  });
  const two = counts.chain(({ length }) => {
    const bins = fc.array(fc.nat({ max: 50 }), { minLength: length, maxLength: length });
    const one = fc.tuple(bins, counts, fc.nat({ max: 20 })).map((parts) => histogram(...parts));
    return fc.tuple(one, one);
  });

  test('is 0 for equal histograms, also when one has twice the rows', () => {
    fc.assert(
      fc.property(counts, counts, fc.nat({ max: 20 }), (numbers, words, missing) => {
        const twice = (list: number[]) => list.map((count) => count * 2);
        expect(psi(histogram(numbers, words, missing), histogram(numbers, words, missing))).toBe(0);
        const doubled = histogram(twice(numbers), twice(words), missing * 2);
        expect(psi(histogram(numbers, words, missing), doubled)).toBeCloseTo(0, 12);
      }),
    );
  });

  test('is the same in either direction, never negative and never NaN', () => {
    fc.assert(
      fc.property(two, ([before, now]) => {
        const value = psi(before, now);
        expect(psi(now, before)).toBeCloseTo(value, 12);
        expect(value).toBeGreaterThanOrEqual(0);
        expect(Number.isFinite(value)).toBe(true);
      }),
    );
  });

  test('is finite when a set has no rows', () => {
    const none = histogram([0, 0], [], 0);
    expect(psi(none, none)).toBe(0);
    expect(psi(histogram([30, 30], [], 0), none)).toBeGreaterThan(1);
  });
});
