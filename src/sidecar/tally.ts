import { countNumbers, type Histogram } from './psi.ts';
import type { Block, Column } from './samples.types.ts';

/** The inner edges of each feature's bins. A feature without numbers in the reference has none. */
export type Edges = ReadonlyMap<string, readonly number[]>;

/** Counts of one set and stage, under the edges of one comparison. */
export interface Tally {
  /** How many blocks have been counted, in their order. */
  batches: number;
  rows: number;
  features: Map<string, FeatureTally>;
}

export interface FeatureTally {
  bins: Float64Array;
  categories: Map<string, number>;
}

export const emptyTally = (): Tally => ({ batches: 0, rows: 0, features: new Map() });

const NO_EDGES: readonly number[] = [];

/** Counts one more block. */
export function addBlock(tally: Tally, edges: Edges, block: Block): void {
  for (const [name, column] of block.columns) {
    const featureEdges = edges.get(name) ?? NO_EDGES;
    const feature = tally.features.get(name) ?? {
      bins: new Float64Array(featureEdges.length + 1),
      categories: new Map(),
    };
    tally.features.set(name, feature);
    if (column.numbers) countNumbers(feature.bins, featureEdges, column.numbers);
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

/** Rows and histograms of several tallies under the same edges, added up. */
export function total(tallies: readonly Tally[]): { rows: number; features: Map<string, Histogram> } {
  const rows = tallies.reduce((sum, tally) => sum + tally.rows, 0);
  const features = new Map<string, Histogram>();
  for (const name of new Set(tallies.flatMap((tally) => [...tally.features.keys()]))) {
    const parts = tallies.flatMap((tally) => tally.features.get(name) ?? []);
    features.set(name, { rows, bins: addBins(parts), categories: addCategories(parts) });
  }
  return { rows, features };
}

function addBins(parts: readonly FeatureTally[]): Float64Array {
  const sum = new Float64Array(parts[0]?.bins.length ?? 0);
  for (const { bins } of parts) {
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
