import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addBins, type Bins, binOf, quantilesOf } from '../../../src/features/webhooks/statistics/sketch.ts';

const SHARES = [0.01, 0.5, 0.95, 0.99, 1];

function binsOf(values: readonly number[]): Bins {
  const bins: Bins = {};
  for (const value of values) bins[binOf(value)] = (bins[binOf(value)] ?? 0) + 1;
  return bins;
}

const exact = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.max(1, Math.ceil(share * values.length)) - 1] ?? Number.NaN;

const durations = fc.array(fc.integer({ min: 0, max: 1e9 }), { minLength: 1, maxLength: 500 });

test('quantiles are within 0.5 % and half a millisecond of the exact ones', () => {
  fc.assert(
    fc.property(durations, (values) => {
      for (const [index, found] of quantilesOf(binsOf(values), SHARES).entries()) {
        const wanted = exact(values, SHARES[index] ?? 0);
        expect(Math.abs((found ?? Number.NaN) - wanted)).toBeLessThanOrEqual(wanted * 0.005 + 0.5);
      }
    }),
  );
});

test('durations up to 99 ms are exact', () => {
  for (let ms = 0; ms < 100; ms += 1) expect(quantilesOf(binsOf([ms]), [0.5])).toEqual([ms]);
});

test('the sum of two sketches is the sketch of all values, in any order', () => {
  fc.assert(
    fc.property(durations, durations, (one, other) => {
      const sum = binsOf(one);
      addBins(sum, binsOf(other));
      expect(sum).toEqual(binsOf([...other, ...one]));
    }),
  );
});

test('there are no quantiles without values', () => {
  expect(quantilesOf({}, SHARES)).toEqual(SHARES.map(() => null));
});

test('the number of bins is bounded', () => {
  expect(binOf(Number.MAX_SAFE_INTEGER)).toBe(binOf(1e9));
  expect(binOf(1e9)).toBeLessThan(2_100);
  expect([binOf(0), binOf(0.4), binOf(1)]).toEqual([0, 0, 1]);
});
