import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emptyScope, type Scope } from '../../../src/sidecar/profiles/profile-scopes.ts';
import {
  addBlock,
  currentEdges,
  emptyTally,
  histogramsOf,
  limitKeptValues,
  removeRows,
} from '../../../src/sidecar/profiles/profile-tally.ts';
import { binsOf, edgesOf } from '../../../src/sidecar/profiles/quantile-bins.ts';
import {
  addNumbers,
  distributionOf,
  emptyDistribution,
  narrowTo,
} from '../../../src/sidecar/profiles/value-distribution.ts';
import { ALL_VALUES, mergeOverlapping, pointWindows } from '../../../src/sidecar/profiles/value-windows.ts';
import type { Block, SampleSet } from '../../../src/sidecar/samples/samples.types.ts';

/** Edges from all values, without windows. */
const edgesOfAll = (values: readonly number[]): number[] =>
  edgesOf(distributionOf(Float64Array.from(values), ALL_VALUES), ALL_VALUES) ?? [];

/** Bins as the definition has them: by looking at every value. */
function plainBins(values: readonly number[], edges: readonly number[]): number[] {
  const bins = Array.from({ length: edges.length + 1 }, () => 0);
  for (const value of values) {
    const bin = edges.filter((edge) => value > edge).length;
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  return bins;
}

const blockOf = (values: readonly number[]): Block => ({
  rows: values.length,
  columns: new Map([['x', { numbers: Float64Array.from(values), words: [], codes: null }]]),
});

function add(scope: Scope, set: SampleSet, values: readonly number[]): void {
  const tally = scope.tallies.get(set) ?? emptyTally(set);
  scope.tallies.set(set, tally);
  addBlock(scope, tally, blockOf(values));
}

/** Subtracts the oldest rows of the current set. */
function expire(scope: Scope, blocks: number[][], count: number): void {
  const tally = scope.tallies.get('current');
  if (!tally) throw new Error('The current set is empty.');
  for (let rest = count; rest > 0; ) {
    const block = blocks[tally.firstBatch - 1] ?? [];
    const removed = Math.min(rest, block.length - tally.skippedRows);
    removeRows(scope, tally, { block: blockOf(block), to: tally.skippedRows + removed });
    rest -= removed;
  }
}

const kept = ({ tallies }: Scope): number =>
  [...tallies.values()].reduce((sum, { features }) => sum + (features.get('x')?.distribution.length ?? 0), 0);

/** Returns the edges and bins of a scope, and those computed from the definition. */
function bothWays(scope: Scope, sets: Record<SampleSet, number[]>) {
  const { edges } = currentEdges(scope);
  const found = (set: SampleSet) => [
    ...Array.from(histogramsOf(scope, edges, set).features.get('x')?.bins ?? []),
  ];
  const expected = edgesOfAll(sets.reference);
  return {
    found: [edges.get('x'), found('reference'), found('current')],
    expected: [expected, plainBins(sets.reference, expected), plainBins(sets.current, expected)],
  };
}

const value = fc.oneof(
  fc.double({ noNaN: true, min: -100, max: 100 }),
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(0, -0, 1),
);
const block = fc.record({
  set: fc.constantFrom<SampleSet>('reference', 'current'),
  values: fc.array(value, { minLength: 1, maxLength: 60 }),
});

describe('edges and bins from windows', () => {
  test('match the edges of all values or are reported as lost, whatever the order and capacity', () => {
    let compared = 0;
    fc.assert(
      fc.property(
        fc.array(block, { minLength: 2, maxLength: 14 }),
        fc.integer({ min: 4, max: 200 }),
        (blocks, room) => {
          const scope = emptyScope();
          const sets: Record<SampleSet, number[]> = { reference: [], current: [] };
          add(scope, 'reference', [0]);
          sets.reference.push(0);
          add(scope, 'current', [0]);
          sets.current.push(0);
          for (const { set, values } of blocks) {
            add(scope, set, values);
            sets[set].push(...values);
            limitKeptValues(scope, room);
            if (currentEdges(scope).lost.length > 0) return;
            const { found, expected } = bothWays(scope, sets);
            expect(found).toEqual(expected);
            compared += 1;
          }
        },
      ),
      { numRuns: 400 },
    );
    expect(compared).toBeGreaterThan(500);
  });

  test('match the edges of the remaining values after the oldest are subtracted', () => {
    let compared = 0;
    fc.assert(
      fc.property(
        fc.array(block, { minLength: 2, maxLength: 14 }),
        fc.integer({ min: 4, max: 200 }),
        fc.integer({ min: 1, max: 80 }),
        (blocks, room, window) => {
          const scope = emptyScope();
          const sets: Record<SampleSet, number[]> = { reference: [0], current: [0] };
          const added = [[0]];
          add(scope, 'reference', [0]);
          add(scope, 'current', [0]);
          for (const { set, values } of blocks) {
            add(scope, set, values);
            sets[set].push(...values);
            limitKeptValues(scope, room);
            if (set === 'current') added.push(values);
            const excess = Math.max(0, sets.current.length - window);
            expire(scope, added, excess);
            sets.current.splice(0, excess);
            if (currentEdges(scope).lost.length > 0) return;
            const { found, expected } = bothWays(scope, sets);
            expect(found).toEqual(expected);
            const current = scope.tallies.get('current');
            expect(current?.rows).toBe(sets.current.length);
            const { counts, length } =
              current?.features.get('x')?.distribution ?? emptyDistribution(ALL_VALUES);
            expect(counts.subarray(0, length)).not.toContain(0);
            compared += 1;
          }
        },
      ),
      { numRuns: 400 },
    );
    expect(compared).toBeGreaterThan(500);
  });

  test('are kept while a reference of one distribution grows to 75,000 values', () => {
    const scope = emptyScope();
    const sets: Record<SampleSet, number[]> = { reference: [], current: [] };
    let state = 1;
    const next = () => {
      state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
      return state / 4_294_967_296;
    };
    const room = 20_000;
    for (let round = 0; round < 300; round += 1) {
      const values = Array.from({ length: 500 }, () => next() + next());
      const set = round % 2 ? 'current' : 'reference';
      add(scope, set, values);
      sets[set].push(...values);
      limitKeptValues(scope, room);
      expect(currentEdges(scope).lost).toEqual([]);
      expect(kept(scope)).toBeLessThanOrEqual(room);
    }
    const { found, expected } = bothWays(scope, sets);
    expect(found).toEqual(expected);
  });

  test('are reported as lost when the reference moves away from its range', () => {
    const scope = emptyScope();
    for (let from = 0; from < 40_000; from += 1_000) {
      add(
        scope,
        'reference',
        Array.from({ length: 1_000 }, (_, index) => from + index),
      );
      limitKeptValues(scope, 500);
    }
    expect(currentEdges(scope).lost).toEqual(['x']);
  });

  test('of a current set alone cover its own values, so that a similar reference matches', () => {
    const scope = emptyScope();
    const values = Array.from({ length: 5_000 }, (_, index) => (index * 7_919) % 5_003);
    add(scope, 'current', values);
    limitKeptValues(scope, 1_000);
    expect(kept(scope)).toBeLessThanOrEqual(1_000);
    add(scope, 'reference', values);
    const { found, expected } = bothWays(scope, { reference: values, current: values });
    expect(found).toEqual(expected);
  });
});

describe('windows', () => {
  test('that touch are merged', () => {
    const spans = [
      { low: 0, high: 2 },
      { low: 2, high: 5 },
      { low: 4, high: 4.5 },
      { low: 6, high: 7 },
    ];
    expect(mergeOverlapping(spans)).toEqual({ lows: [0, 6], highs: [5, 7] });
  });

  test('are as narrow as the edges if these determine the bins', () => {
    const values = [1, 1, 2, 3, 5, 8, 8, 9];
    const distribution = distributionOf(Float64Array.from(values), ALL_VALUES);
    const points = pointWindows([1, 4, 8]);
    const narrow = narrowTo(distribution, ALL_VALUES, points);
    expect([...binsOf(narrow, points, [1, 4, 8])]).toEqual(plainBins(values, [1, 4, 8]));
    addNumbers(narrow, points, Float64Array.of(0, 1, 4, 4.5, 9));
    expect([...binsOf(narrow, points, [1, 4, 8])]).toEqual(
      plainBins([...values, 0, 1, 4, 4.5, 9], [1, 4, 8]),
    );
  });
});
