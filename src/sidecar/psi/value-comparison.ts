/** Comparison of the numbers of a feature, which its bins do not allow. */
export interface ValueComparison {
  /**
   * Wasserstein distance in units of the standard deviation of the reference; null if a set has no numbers or the
   * reference is constant.
   */
  wasserstein: number | null;
  /** Share of the current numbers below the smallest or above the largest of the reference; null if a set has none. */
  outOfRange: number | null;
}

/** Compares the numbers of both sets. Sorts them in place. */
export function compareValues(reference: Float64Array, current: Float64Array): ValueComparison {
  if (reference.length === 0 || current.length === 0) return { wasserstein: null, outOfRange: null };
  reference.sort();
  current.sort();
  const [lowest, highest] = [reference[0] as number, reference.at(-1) as number];
  let outside = 0;
  for (const value of current) if (value < lowest || value > highest) outside += 1;
  const deviation = deviationOf(reference);
  return {
    wasserstein: deviation > 0 ? distance(reference, current) / deviation : null,
    outOfRange: outside / current.length,
  };
}

/** Returns the standard deviation of a population. */
function deviationOf(values: Float64Array): number {
  let mean = 0;
  let squares = 0;
  let count = 0;
  for (const value of values) {
    count += 1;
    const difference = value - mean;
    mean += difference / count;
    squares += difference * (value - mean);
  }
  return Math.sqrt(squares / count);
}

/** Returns the area between the two empirical distribution functions. @param a ascending, as `b` */
function distance(a: Float64Array, b: Float64Array): number {
  let [atA, atB, area] = [0, 0, 0];
  let last = Math.min(a[0] as number, b[0] as number);
  while (atA < a.length || atB < b.length) {
    const next = Math.min(a[atA] ?? Number.POSITIVE_INFINITY, b[atB] ?? Number.POSITIVE_INFINITY);
    area += Math.abs(atA / a.length - atB / b.length) * (next - last);
    while (a[atA] === next) atA += 1;
    while (b[atB] === next) atB += 1;
    last = next;
  }
  return area;
}
