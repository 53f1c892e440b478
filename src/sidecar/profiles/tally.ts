import type { Histogram, SetHistograms } from '../psi/psi.ts';
import type { Block, Column, SampleSet } from '../samples/samples.types.ts';
import { binsOf, edgesOf, windowsAround } from './bins.ts';
import { basisOf, type Edges, type FeatureTally, type Scope, type Tally } from './profile-scopes.ts';
import { addNumbers, emptySpread, narrowed, releaseSpread, sizeOf, withSum } from './spread.ts';
import { EVERYTHING } from './windows.ts';

export const emptyTally = (set: SampleSet): Tally => ({ set, batches: 0, rows: 0, features: new Map() });

/** Counts one more block. */
export function addBlock({ windows }: Scope, tally: Tally, block: Block): void {
  for (const [name, column] of block.columns) {
    const where = windows.get(name) ?? EVERYTHING;
    windows.set(name, where);
    const feature = tally.features.get(name) ?? { spread: emptySpread(where), categories: new Map() };
    tally.features.set(name, feature);
    if (column.numbers) addNumbers(feature.spread, where, column.numbers);
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

const spreadsOf = (tallies: Iterable<Tally>, name: string) =>
  featuresOf(tallies, name).map(({ spread }) => spread);

/**
 * The edges that the reference has now.
 * @returns them, and the features whose edges have left their windows: theirs cannot be told
 */
export function edgesNow(scope: Scope): { edges: Edges; lost: string[] } {
  const basis = basisOf(scope);
  if (scope.known.basis === basis) return { edges: scope.known.edges, lost: [] };
  const reference = talliesOf(scope, 'reference');
  const edges = new Map<string, readonly number[]>();
  const lost: string[] = [];
  for (const [name, windows] of scope.windows) {
    const found = withSum(spreadsOf(reference, name), windows, (sum) => edgesOf(sum, windows));
    if (found) edges.set(name, found);
    else lost.push(name);
  }
  if (lost.length === 0) scope.known = { basis, edges };
  return { edges, lost };
}

/**
 * Narrows the windows of features that keep more values than there is room for, to half of it.
 * @param room values of one feature
 */
export function keepWithin(scope: Scope, room: number): void {
  for (const name of scope.windows.keys()) {
    const kept = spreadsOf(scope.tallies.values(), name).reduce((sum, { length }) => sum + length, 0);
    if (kept > room) narrow(scope, name, room / 2);
  }
}

function narrow(scope: Scope, name: string, room: number): void {
  const before = scope.windows.get(name) ?? EVERYTHING;
  const all = spreadsOf(scope.tallies.values(), name);
  const windows = withSum(all, before, (sum) => {
    const edges = targetsOf(scope, name) ?? null;
    const keep = Math.floor(room / (2 * Math.max(1, edges?.length ?? 0)));
    return windowsAround(edges, sum, before, keep);
  });
  scope.windows.set(name, windows);
  for (const feature of featuresOf(scope.tallies.values(), name)) {
    const { spread } = feature;
    feature.spread = narrowed(spread, before, windows);
    releaseSpread(spread);
  }
}

/** The edges of a feature; before it has a reference those that it would have if all were one. Null: they are lost. */
function targetsOf(scope: Scope, name: string): readonly number[] | null {
  const known = scope.known.basis === basisOf(scope) ? scope.known.edges.get(name) : undefined;
  if (known && known.length > 0) return known;
  const windows = scope.windows.get(name) ?? EVERYTHING;
  const reference = spreadsOf(talliesOf(scope, 'reference'), name);
  const basis = reference.some((spread) => sizeOf(spread) > 0)
    ? reference
    : spreadsOf(scope.tallies.values(), name);
  return withSum(basis, windows, (sum) => edgesOf(sum, windows));
}

/** Puts features that a draft of the same comparison has counted under other windows in the place of its own. */
export function adopt(scope: Scope, draft: Scope, names: readonly string[]): void {
  for (const name of names) {
    const windows = draft.windows.get(name);
    if (!windows) continue;
    scope.windows.set(name, windows);
    for (const [id, { features }] of scope.tallies) {
      const feature = features.get(name);
      if (!feature) continue;
      releaseSpread(feature.spread);
      feature.spread = draft.tallies.get(id)?.features.get(name)?.spread ?? emptySpread(windows);
    }
  }
}

/** All that has been counted of a set, in the bins that the edges make. */
export function total(scope: Scope, edges: Edges, set: SampleSet): SetHistograms {
  const tallies = talliesOf(scope, set);
  const rows = tallies.reduce((sum, tally) => sum + tally.rows, 0);
  const features = new Map<string, Histogram>();
  for (const name of new Set(tallies.flatMap((tally) => [...tally.features.keys()]))) {
    const parts = featuresOf(tallies, name);
    const windows = scope.windows.get(name) ?? EVERYTHING;
    const bins = addBins(parts.map(({ spread }) => binsOf(spread, windows, edges.get(name) ?? [])));
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
