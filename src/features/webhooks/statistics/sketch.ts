/**
 * Quantiles of durations with a bounded relative error, from counts in logarithmic bins (DDSketch, Masson et al. 2019).
 * Counts of several processes and time ranges merge by addition, so that `$inc` merges them in the database. Libraries of
 * sketches keep their bins in objects of their own, which would have to be read and written as a whole.
 */

/** Largest relative error of a quantile: below half a millisecond for durations up to 100 ms. */
const RELATIVE_ERROR = 0.005;
const GAMMA = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR);
const LOG_GAMMA = Math.log(GAMMA);

/** Longer durations, from about 11 days, count as this one; a sketch has at most 2,075 bins. */
const MAX_MS = 1e9;

/** Number of values by bin. Keys are numbers, as field names of the database. */
export type Bins = Record<string, number>;

/** Returns the bin of a duration in milliseconds; bin 0 has durations below 1 ms. */
export const binOf = (ms: number): number =>
  ms < 1 ? 0 : 1 + Math.ceil(Math.log(Math.min(ms, MAX_MS)) / LOG_GAMMA);

/** Returns the duration that a bin stands for, in whole milliseconds, as durations are measured. */
const durationOf = (bin: number): number =>
  bin === 0 ? 0 : Math.round((2 * GAMMA ** (bin - 1)) / (GAMMA + 1));

export function addBins(target: Bins, added: Bins): void {
  for (const [bin, count] of Object.entries(added)) target[bin] = (target[bin] ?? 0) + count;
}

/** Returns the smallest values that these shares of all values do not exceed; null for each if there are no values. */
export function quantilesOf(bins: Bins, shares: readonly number[]): (number | null)[] {
  const counts = Object.entries(bins)
    .map(([bin, count]) => ({ bin: Number(bin), count }))
    .sort((a, b) => a.bin - b.bin);
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  return shares.map((share) => {
    const rank = Math.max(1, Math.ceil(share * total));
    let passed = 0;
    const found = counts.find(({ count }) => {
      passed += count;
      return passed >= rank;
    });
    return found ? durationOf(found.bin) : null;
  });
}
