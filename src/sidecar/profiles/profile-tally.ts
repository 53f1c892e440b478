import type { Histogram, SetHistograms } from '../psi/psi.ts';
import type { Block, Column, SampleSet } from '../samples/samples.types.ts';
import type { BlockCounts } from './block-counts.ts';
import { basisOf, type Edges, type FeatureTally, type Scope, type Tally } from './profile-scopes.ts';
import { binsOf, edgesOf, windowsAround } from './quantile-bins.ts';
import {
  addDistribution,
  addNumbers,
  countNumbers,
  emptyDistribution,
  narrowTo,
  releaseDistribution,
  removeNumbers,
  withMerged,
} from './value-distribution.ts';
import { ALL_VALUES, NO_VALUES } from './value-windows.ts';

/** Position of the oldest row that counts. */
export type RowPosition = Pick<Tally, 'firstBatch' | 'skippedRows'>;

/** Creates the counts of a partition whose older rows are expired. */
export const emptyTally = (
  set: SampleSet,
  { firstBatch, skippedRows }: RowPosition = { firstBatch: 1, skippedRows: 0 },
): Tally => ({
  set,
  batches: firstBatch - 1,
  firstBatch,
  skippedRows,
  rows: 0,
  features: new Map(),
});

/**
 * Counts the next block of a partition, except its expired rows.
 * @param counts numbers of the block that are counted already, expired rows included
 */
export function addBlock({ windows }: Scope, tally: Tally, block: Block, counts?: BlockCounts): void {
  tally.batches += 1;
  const from = tally.batches === tally.firstBatch ? tally.skippedRows : 0;
  for (const [name, column] of block.columns) {
    const featureWindows = windows.get(name) ?? ALL_VALUES;
    windows.set(name, featureWindows);
    const feature = tally.features.get(name) ?? {
      lastBatch: tally.batches,
      distribution: emptyDistribution(featureWindows),
      categories: new Map(),
    };
    tally.features.set(name, feature);
    feature.lastBatch = tally.batches;
    const counted = from === 0 ? counts?.of(name, featureWindows) : undefined;
    if (counted) addDistribution(feature.distribution, counted);
    else if (column.numbers) addNumbers(feature.distribution, featureWindows, column.numbers.subarray(from));
    for (const [word, count] of countWords(column, from, block.rows)) {
      feature.categories.set(word, (feature.categories.get(word) ?? 0) + count);
    }
  }
  tally.rows += block.rows - from;
}

/**
 * Subtracts the oldest counted block, or its rows before `to`.
 * @param block the block `tally.firstBatch`
 */
export function removeRows(
  { windows }: Scope,
  tally: Tally,
  { block, to }: { block: Block; to: number },
): void {
  const from = tally.skippedRows;
  for (const [name, column] of block.columns) {
    const feature = tally.features.get(name);
    if (!feature) continue;
    const { distribution, categories } = feature;
    const numbers = column.numbers?.subarray(from, to);
    if (numbers) removeNumbers(distribution, windows.get(name) ?? ALL_VALUES, numbers);
    for (const [word, count] of countWords(column, from, to)) {
      const rest = (categories.get(word) ?? 0) - count;
      if (rest > 0) categories.set(word, rest);
      else categories.delete(word);
    }
  }
  tally.rows -= to - from;
  tally.skippedRows = to;
  if (to < block.rows) return;
  tally.firstBatch += 1;
  tally.skippedRows = 0;
  for (const [name, { lastBatch, distribution }] of tally.features) {
    if (lastBatch >= tally.firstBatch) continue;
    releaseDistribution(distribution);
    tally.features.delete(name);
  }
}

/** Discards all counts, which start again at a position. */
export function resetTally(tally: Tally, position: RowPosition): void {
  for (const { distribution } of tally.features.values()) releaseDistribution(distribution);
  Object.assign(tally, emptyTally(tally.set, position));
}

/** Forgets the windows of features without rows. */
export function dropWindows({ windows, tallies }: Scope): void {
  const counted = new Set([...tallies.values()].flatMap(({ features }) => [...features.keys()]));
  for (const name of windows.keys()) if (!counted.has(name)) windows.delete(name);
}

/** Counts the strings of the rows from `from` to before `to`. */
function countWords({ words, codes }: Column, from: number, to: number): [word: string, count: number][] {
  if (!codes) return [];
  const counts = new Uint32Array(words.length + 1);
  for (let row = from; row < to; row += 1) {
    const code = codes[row] as number;
    counts[code] = (counts[code] as number) + 1;
  }
  return words.flatMap((word, index): [string, number][] => {
    const count = counts[index + 1] as number;
    return count > 0 ? [[word, count]] : [];
  });
}

const talliesOf = ({ tallies }: Scope, set: SampleSet): Tally[] =>
  [...tallies.values()].filter((tally) => tally.set === set);

const featuresOf = (tallies: Iterable<Tally>, name: string): FeatureTally[] =>
  [...tallies].flatMap((tally) => tally.features.get(name) ?? []);

const distributionsOf = (tallies: Iterable<Tally>, name: string) =>
  featuresOf(tallies, name).map(({ distribution }) => distribution);

/**
 * Computes the bin edges of the reference.
 * @returns the edges, and as `lost` the features whose edges lie outside their windows
 */
export function currentEdges(scope: Scope): { edges: Edges; lost: string[] } {
  const basis = basisOf(scope);
  if (scope.edgeCache.basis === basis) return { edges: scope.edgeCache.edges, lost: [] };
  const reference = talliesOf(scope, 'reference');
  const edges = new Map<string, readonly number[]>();
  const lost: string[] = [];
  for (const [name, windows] of scope.windows) {
    const found = withMerged(distributionsOf(reference, name), windows, (merged) => edgesOf(merged, windows));
    if (found) edges.set(name, found);
    else lost.push(name);
  }
  if (lost.length === 0) scope.edgeCache = { basis, edges };
  return { edges, lost };
}

/** Narrows the windows of each feature that keeps more than `maxValues` values, to half as many. */
export function limitKeptValues(scope: Scope, maxValues: number): void {
  for (const name of scope.windows.keys()) {
    const kept = distributionsOf(scope.tallies.values(), name).reduce((sum, { length }) => sum + length, 0);
    if (kept > maxValues) narrow(scope, name, maxValues / 2);
  }
}

function narrow(scope: Scope, name: string, maxValues: number): void {
  const before = scope.windows.get(name) ?? ALL_VALUES;
  const all = distributionsOf(scope.tallies.values(), name);
  const windows = withMerged(all, before, (merged) => {
    const edges = targetEdges(scope, name);
    if (edges === null) return NO_VALUES;
    const keep = Math.floor(maxValues / (2 * Math.max(1, edges.length)));
    return windowsAround({ edges, all: merged, windows: before, keep });
  });
  scope.windows.set(name, windows);
  for (const feature of featuresOf(scope.tallies.values(), name)) {
    const { distribution } = feature;
    feature.distribution = narrowTo(distribution, before, windows);
    releaseDistribution(distribution);
  }
}

/**
 * Returns the edges to build windows around: from the reference or, while it has no numbers, from all samples. Null if
 * they lie outside the windows.
 */
function targetEdges(scope: Scope, name: string): readonly number[] | null {
  const cached = scope.edgeCache.basis === basisOf(scope) ? scope.edgeCache.edges.get(name) : undefined;
  if (cached && cached.length > 0) return cached;
  const windows = scope.windows.get(name) ?? ALL_VALUES;
  const reference = distributionsOf(talliesOf(scope, 'reference'), name);
  const basis = reference.some((distribution) => countNumbers(distribution) > 0)
    ? reference
    : distributionsOf(scope.tallies.values(), name);
  return withMerged(basis, windows, (merged) => edgesOf(merged, windows));
}

/** Replaces features with the features of a draft, which has counted the same samples with other windows. */
export function replaceFeatures(scope: Scope, draft: Scope, names: readonly string[]): void {
  for (const name of names) {
    const windows = draft.windows.get(name);
    if (!windows) continue;
    scope.windows.set(name, windows);
    for (const [id, { features }] of scope.tallies) {
      const feature = features.get(name);
      if (!feature) continue;
      releaseDistribution(feature.distribution);
      feature.distribution =
        draft.tallies.get(id)?.features.get(name)?.distribution ?? emptyDistribution(windows);
    }
  }
}

/** Builds the histograms of a set from all its counts. */
export function histogramsOf(scope: Scope, edges: Edges, set: SampleSet): SetHistograms {
  const tallies = talliesOf(scope, set);
  const rows = tallies.reduce((sum, tally) => sum + tally.rows, 0);
  const features = new Map<string, Histogram>();
  for (const name of new Set(tallies.flatMap((tally) => [...tally.features.keys()]))) {
    const parts = featuresOf(tallies, name);
    const windows = scope.windows.get(name) ?? ALL_VALUES;
    const bins = addBins(
      parts.map(({ distribution }) => binsOf(distribution, windows, edges.get(name) ?? [])),
    );
    features.set(name, { rows, bins, categories: addCategories(parts) });
  }
  return { rows, features };
}

function addBins(parts: readonly Float64Array[]): Float64Array {
  const sum = new Float64Array(parts[0]?.length ?? 0);
  for (const bins of parts) {
    for (const [bin, count] of bins.entries()) sum[bin] = (sum[bin] ?? 0) + count;
  }
  return sum;
}

function addCategories(parts: readonly FeatureTally[]): ReadonlyMap<string, number> {
  const [only] = parts;
  if (only && parts.length === 1) return only.categories;
  const sum = new Map<string, number>();
  for (const { categories } of parts) {
    for (const [word, count] of categories) sum.set(word, (sum.get(word) ?? 0) + count);
  }
  return sum;
}
