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
  withMerged,
} from './value-distribution.ts';
import { ALL_VALUES, NO_VALUES } from './value-windows.ts';

export const emptyTally = (set: SampleSet): Tally => ({ set, batches: 0, rows: 0, features: new Map() });

/**
 * Counts the next block of a partition.
 * @param counts numbers of the block that are counted already
 */
export function addBlock({ windows }: Scope, tally: Tally, block: Block, counts?: BlockCounts): void {
  for (const [name, column] of block.columns) {
    const featureWindows = windows.get(name) ?? ALL_VALUES;
    windows.set(name, featureWindows);
    const feature = tally.features.get(name) ?? {
      distribution: emptyDistribution(featureWindows),
      categories: new Map(),
    };
    tally.features.set(name, feature);
    const counted = counts?.of(name, featureWindows);
    if (counted) addDistribution(feature.distribution, counted);
    else if (column.numbers) addNumbers(feature.distribution, featureWindows, column.numbers);
    countCategories(feature.categories, column);
  }
  tally.rows += block.rows;
  tally.batches += 1;
}

function countCategories(categories: Map<string, number>, { words, codes }: Column): void {
  if (!codes) return;
  const counts = new Uint32Array(words.length + 1);
  for (const code of codes) counts[code] = (counts[code] ?? 0) + 1;
  words.forEach((word, index) => {
    categories.set(word, (categories.get(word) ?? 0) + (counts[index + 1] ?? 0));
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
 * Returns the edges to build windows around: those of the reference or, while the reference has no numbers, those of
 * all samples. Null if they lie outside the windows.
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

/** Replaces features with those of a draft, which has counted the same samples with other windows. */
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
