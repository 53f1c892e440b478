/** With fewer rows in either set a score says too little (contract 9). */
export const MIN_ROWS = 30;

/** What a share of exactly 0 counts as; nothing is renormalised (contract 9). */
const ZERO_SHARE = 1e-4;

/** Bins between the reference's 10, 20, … 90 % quantiles. */
const PARTS = 10;

/** How one set's rows spread over the bins of one feature. What is in no bin and no category is missing. */
export interface Histogram {
  /** All rows, those without a value included. */
  rows: number;
  /** Numbers in each bin: one more than there are edges. */
  bins: ArrayLike<number>;
  categories: ReadonlyMap<string, number>;
}

/** Rows of a set, and the histogram of each feature. */
export interface SetHistograms {
  rows: number;
  features: ReadonlyMap<string, Histogram>;
}

/**
 * The inner edges: the 10, 20, … 90 % quantiles by linear interpolation between the two nearest values, equal ones
 * merged. Positions are worked out in whole numbers: `0.7 * 90` is not 63 in binary fractions.
 * @param count how many non-missing numbers the reference has
 * @param valuesAt the numbers at some ranks, were all sorted; an edge beside one that it leaves out is `NaN`
 */
export function quantileEdges(
  count: number,
  valuesAt: (ranks: readonly number[]) => ReadonlyMap<number, number>,
): number[] {
  if (count === 0) return [];
  const places = quantilePlaces(count);
  const at = valuesAt(places.flatMap(({ below, above }) => [below, above]));
  const edges = places.map(({ below, above, part }) =>
    between(at.get(below) ?? Number.NaN, at.get(above) ?? Number.NaN, part),
  );
  return edges.filter((edge, index) => edge !== edges[index - 1]);
}

/** Between which ranks each quantile of so many numbers lies, and how far from the lower one. */
export function quantilePlaces(count: number): { below: number; above: number; part: number }[] {
  const last = count - 1;
  return Array.from({ length: PARTS - 1 }, (_, index) => {
    const position = last * (index + 1);
    const below = Math.floor(position / PARTS);
    return { below, above: Math.min(below + 1, last), part: (position % PARTS) / PARTS };
  });
}

/** Linear interpolation from the nearer end, as numpy has it, and never outside of both. */
function between(below: number, above: number, part: number): number {
  const step = above - below;
  const value = part < 0.5 ? below + step * part : above - step * (1 - part);
  return Math.min(above, Math.max(below, value));
}

/**
 * The Population Stability Index of two histograms over the same bins: the sum of (p − q) · ln(p / q) over numeric
 * bins, the union of the categories, and missing values. A bin that is empty in both adds nothing, so a feature may
 * hold numbers, strings or both. Never negative, never NaN, the same in either direction.
 */
export function psi(reference: Histogram, current: Histogram): number {
  let score = 0;
  const add = (before: number, now: number): void => {
    const p = share(before, reference.rows);
    const q = share(now, current.rows);
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
