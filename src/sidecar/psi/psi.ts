/** Replaces a share of 0, whose logarithm is infinite; the shares are not renormalized (contract 9). */
const EPSILON = 1e-4;

/** Number of bins, separated by the 10, 20, … 90 % quantiles of the reference. */
const BINS = 10;

/** Counts of one feature in one set. Rows in no bin and no category have no value. */
export interface Histogram {
  /** Number of all rows, including rows without a value. */
  rows: number;
  /** Count of numbers in each bin; one more bin than there are edges. */
  bins: ArrayLike<number>;
  categories: ReadonlyMap<string, number>;
}

/** Number of rows in a set, and the histogram of each feature. */
export interface SetHistograms {
  rows: number;
  features: ReadonlyMap<string, Histogram>;
}

/**
 * Computes the inner bin edges: the 10, 20, … 90 % quantiles by linear interpolation between the two nearest values,
 * without duplicates. Ranks are computed with integers, because `0.7 * 90` is not 63 in floating point.
 * @param count number of values in the reference
 * @param valuesAt returns the values at the given ranks; an edge next to an omitted rank is `NaN`
 */
export function quantileEdges(
  count: number,
  valuesAt: (ranks: readonly number[]) => ReadonlyMap<number, number>,
): number[] {
  if (count === 0) return [];
  const ranks = quantileRanks(count);
  const at = valuesAt(ranks.flatMap(({ below, above }) => [below, above]));
  const edges = ranks.map(({ below, above, fraction }) =>
    interpolate(at.get(below) ?? Number.NaN, at.get(above) ?? Number.NaN, fraction),
  );
  return edges.filter((edge, index) => edge !== edges[index - 1]);
}

/** Returns the two ranks around each quantile of `count` values, and its position between them from 0 to 1. */
export function quantileRanks(count: number): { below: number; above: number; fraction: number }[] {
  const last = count - 1;
  return Array.from({ length: BINS - 1 }, (_, index) => {
    const position = last * (index + 1);
    const below = Math.floor(position / BINS);
    return { below, above: Math.min(below + 1, last), fraction: (position % BINS) / BINS };
  });
}

/** Interpolates linearly from the nearer end, as NumPy does, and clamps the result to both ends. */
function interpolate(below: number, above: number, fraction: number): number {
  const step = above - below;
  const value = fraction < 0.5 ? below + step * fraction : above - step * (1 - fraction);
  return Math.min(above, Math.max(below, value));
}

/** One bin of a comparison. Without an index and a category, it is the bin of missing values. */
export interface PsiBin {
  /** Position among the numeric bins; null for a category and for missing values. */
  index: number | null;
  /** Null for a numeric bin and for missing values. */
  category: string | null;
  /** Number of rows of the reference. */
  reference: number;
  /** Number of rows of the current set. */
  current: number;
  /** Part of the PSI; never negative. */
  contribution: number;
}

/**
 * Compares two histograms with the same numeric bins: yields these, the union of the categories, and missing values. A
 * bin that is empty in both contributes 0, so a feature may hold numbers, strings or both.
 */
export function* psiBins(reference: Histogram, current: Histogram): Generator<PsiBin> {
  const rows = { reference: reference.rows, current: current.rows };
  const bin = (place: Pick<PsiBin, 'index' | 'category'>, before: number, now: number): PsiBin => ({
    ...place,
    reference: before,
    current: now,
    contribution: binContribution(before, now, rows),
  });
  const bins = Math.max(reference.bins.length, current.bins.length);
  for (let index = 0; index < bins; index += 1) {
    yield bin({ index, category: null }, reference.bins[index] ?? 0, current.bins[index] ?? 0);
  }
  for (const [category, count] of reference.categories) {
    yield bin({ index: null, category }, count, current.categories.get(category) ?? 0);
  }
  for (const [category, count] of current.categories) {
    if (!reference.categories.has(category)) yield bin({ index: null, category }, 0, count);
  }
  yield bin({ index: null, category: null }, missingRows(reference), missingRows(current));
}

/**
 * Computes the Population Stability Index of two histograms with the same bins: the sum of (p − q) · ln(p / q). The
 * index is symmetric, never negative and never NaN.
 */
export function psi(reference: Histogram, current: Histogram): number {
  let score = 0;
  for (const { contribution } of psiBins(reference, current)) score += contribution;
  return score;
}

/**
 * Computes the Jensen-Shannon distance of two histograms, 0 to 1: the square root of the divergence with logarithms to
 * the base 2. Shares of 0 count as they are.
 */
export function jensenShannon(reference: Histogram, current: Histogram): number {
  if (reference.rows === 0 || current.rows === 0) return 0;
  let divergence = 0;
  for (const bin of psiBins(reference, current)) {
    const p = bin.reference / reference.rows;
    const q = bin.current / current.rows;
    const middle = (p + q) / 2;
    if (p > 0) divergence += (p * Math.log2(p / middle)) / 2;
    if (q > 0) divergence += (q * Math.log2(q / middle)) / 2;
  }
  return Math.sqrt(Math.min(1, Math.max(0, divergence)));
}

/** Counts the bins that are not empty in both histograms. */
export function countBins(reference: Histogram, current: Histogram): number {
  let bins = 0;
  for (const bin of psiBins(reference, current)) if (bin.reference + bin.current > 0) bins += 1;
  return bins;
}

/** Returns the part of the PSI of a bin with these counts. @param rows number of rows in each set */
export function binContribution(
  referenceCount: number,
  currentCount: number,
  rows: { reference: number; current: number },
): number {
  const p = share(referenceCount, rows.reference);
  const q = share(currentCount, rows.current);
  return (p - q) * Math.log(p / q);
}

const share = (count: number, rows: number): number => (count === 0 ? EPSILON : count / rows);

/** Returns the number of rows with a numeric value. */
export function numericRows({ bins }: Histogram): number {
  let rows = 0;
  for (let bin = 0; bin < bins.length; bin += 1) rows += bins[bin] ?? 0;
  return rows;
}

/** Returns how many rows have no value. */
export function missingRows(histogram: Histogram): number {
  let present = numericRows(histogram);
  for (const count of histogram.categories.values()) present += count;
  return histogram.rows - present;
}
