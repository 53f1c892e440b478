/** Minimum number of rows in each set for a score to count (contract 9). */
export const MIN_ROWS = 30;

/** Replaces a share of exactly 0; the shares are not renormalized (contract 9). */
const ZERO_SHARE = 1e-4;

/** Number of bins, separated by the 10, 20, … 90 % quantiles of the reference. */
const BINS = 10;

/** Counts of one feature in one set. Rows in no bin and no category have no value. */
export interface Histogram {
  /** Number of all rows, including those without a value. */
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

/**
 * Computes the Population Stability Index of two histograms with the same bins: the sum of (p − q) · ln(p / q) over
 * numeric bins, the union of the categories, and missing values. A bin that is empty in both adds 0, so a feature may
 * hold numbers, strings or both. The index is symmetric, never negative and never NaN.
 */
export function psi(reference: Histogram, current: Histogram): number {
  let score = 0;
  const add = (referenceCount: number, currentCount: number): void => {
    const p = share(referenceCount, reference.rows);
    const q = share(currentCount, current.rows);
    score += (p - q) * Math.log(p / q);
  };
  const bins = Math.max(reference.bins.length, current.bins.length);
  for (let bin = 0; bin < bins; bin += 1) add(reference.bins[bin] ?? 0, current.bins[bin] ?? 0);
  for (const [category, count] of reference.categories) add(count, current.categories.get(category) ?? 0);
  for (const [category, count] of current.categories) {
    if (!reference.categories.has(category)) add(0, count);
  }
  add(missing(reference), missing(current));
  return score;
}

const share = (count: number, rows: number): number => (count === 0 ? ZERO_SHARE : count / rows);

function missing({ rows, bins, categories }: Histogram): number {
  let present = 0;
  for (let bin = 0; bin < bins.length; bin += 1) present += bins[bin] ?? 0;
  for (const count of categories.values()) present += count;
  return rows - present;
}
