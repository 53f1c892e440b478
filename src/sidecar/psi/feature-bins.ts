import { type HistogramPair, isNumeric } from './compare-sets.ts';
import { type Histogram, type PsiBin, psiBins } from './psi.ts';

/** Maximum number of bins in an answer; further categories are merged. */
const MAX_BINS = 100;

interface BinCount {
  count: number;
  /** Share of the set's rows, 0 to 1; 0 for a set without rows. */
  share: number;
}

/** A numeric bin (lower, upper], a category, or the missing values. */
export interface FeatureBin {
  /** Null if the bin is open, and for a category or missing values. */
  lower: number | null;
  /** Null if the bin is open, and for a category or missing values. */
  upper: number | null;
  /** Null for a numeric bin and for missing values. */
  category: string | null;
  missing: boolean;
  reference: BinCount;
  current: BinCount;
  /** Part of the PSI. */
  contribution: number;
}

export interface FeatureBins {
  /** At most 100, largest contribution first. */
  bins: FeatureBin[];
  /** The categories with the smallest contributions; null if `bins` has all. */
  otherCategories: { count: number; contribution: number } | null;
}

/**
 * Lists the bins of a feature and their contributions, which sum to the PSI.
 * @param edges inner edges of the numeric bins
 */
export function binsOfFeature(feature: string, pair: HistogramPair, edges: readonly number[]): FeatureBins {
  const numeric = isNumeric(feature, pair);
  const found = [...psiBins(pair.reference, pair.current)]
    .filter(({ index, reference, current }) => (index === null ? reference + current > 0 : numeric))
    .sort((a, b) => b.contribution - a.contribution);
  const fixed = found.filter(({ category }) => category === null).length;
  const categories = found.filter(({ category }) => category !== null);
  const others = new Set(categories.slice(MAX_BINS - fixed));
  let contribution = 0;
  for (const other of others) contribution += other.contribution;
  return {
    bins: found.filter((bin) => !others.has(bin)).map((bin) => toFeatureBin(bin, pair, edges)),
    otherCategories: others.size > 0 ? { count: others.size, contribution } : null,
  };
}

/** Returns the bin with the largest contribution; null if both sets are empty or equal. */
export function largestBinOf(
  feature: string,
  pair: HistogramPair,
  edges: readonly number[],
): FeatureBin | null {
  const numeric = isNumeric(feature, pair);
  let largest: PsiBin | null = null;
  for (const bin of psiBins(pair.reference, pair.current))
    if ((numeric || bin.index === null) && bin.contribution > (largest?.contribution ?? 0)) largest = bin;
  return largest && toFeatureBin(largest, pair, edges);
}

function toFeatureBin(bin: PsiBin, pair: HistogramPair, edges: readonly number[]): FeatureBin {
  const { index, category, contribution } = bin;
  return {
    lower: index === null ? null : (edges[index - 1] ?? null),
    upper: index === null ? null : (edges[index] ?? null),
    category,
    missing: index === null && category === null,
    reference: countOf(bin.reference, pair.reference),
    current: countOf(bin.current, pair.current),
    contribution,
  };
}

const countOf = (count: number, { rows }: Histogram): BinCount => ({
  count,
  share: rows === 0 ? 0 : count / rows,
});
