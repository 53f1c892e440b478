import { MIN_ROWS } from '../../shared/drift-limits.ts';
import { MAX_INT32 } from '../../shared/int32.ts';
import { chiSquareQuantile, logGamma } from './chi-square.ts';
import { binContribution, type Histogram, psiBins } from './psi.ts';

/** Probability that at least one comparison of a check without drift exceeds its noise floor. */
const FALSE_POSITIVE_RATE = 0.001;
/**
 * Minimum expected count of a bin in both sets for PSI without drift to follow a chi-square distribution. A bin that is
 * empty by chance counts with a share of 1e-4, so the usual 5 is far too small.
 */
const MIN_EXPECTED = 20;
/** Up to this many rows in the smaller set, permutation finds the floor of rarer bins. */
const MAX_PERMUTED_ROWS = 1_000;
const MAX_PERMUTATIONS = 10_000;
/** Maximum number of rows drawn for one floor, which takes one or two milliseconds. */
const MAX_DRAWS = 500_000;
/** Maximum number of rows drawn for all floors of a check. */
const MAX_CHECK_DRAWS = 10_000_000;
/** Maximum number of pooled rows in memory; from a larger pool, every n-th row is taken. */
const MAX_POOLED_ROWS = 1 << 20;
/** Number of top scores that the tail of a permutation distribution is extrapolated from. */
const TAIL = 10;
const SEED = 0x1e37_79b9;

/** Returns the probability to exceed the floor of one of several comparisons (Bonferroni). */
const alphaOf = (comparisons: number): number => FALSE_POSITIVE_RATE / comparisons;

/**
 * Returns the noise floor: the 99.9 % quantile of PSI if both sets stem from the same distribution, corrected for the
 * number of comparisons in the check. Equal histograms have equal floors.
 */
export function noiseFloor(reference: Histogram, current: Histogram, comparisons: number): number {
  const pooled: number[] = [];
  for (const bin of psiBins(reference, current)) {
    if (bin.reference + bin.current > 0) pooled.push(bin.reference + bin.current);
  }
  if (pooled.length < 2 || reference.rows === 0 || current.rows === 0) return 0;
  const small = Math.min(reference.rows, current.rows);
  const sets: Sets = { small, large: Math.max(reference.rows, current.rows), pooled };
  const alpha = alphaOf(comparisons);
  const isFrequent = (count: number): boolean => expected(count, sets) >= MIN_EXPECTED;
  return small > MAX_PERMUTED_ROWS || pooled.every(isFrequent)
    ? asymptoticFloor(sets, alpha)
    : permutationFloor(sets, alpha, Math.min(MAX_DRAWS, MAX_CHECK_DRAWS / comparisons));
}

/**
 * Estimates how many rows the current set lacks until the noise floor is below the threshold; if the reference is too
 * small for that, how many the smaller set lacks if the other one grows as well. At most the largest number that the
 * service reads: a threshold near 0 asks for more rows than that.
 */
export function rowsNeeded(
  { reference, current }: { reference: number; current: number },
  { bins, comparisons, threshold }: { bins: number; comparisons: number; threshold: number },
): number {
  const quantile = bins < 2 ? 0 : chiSquareQuantile(alphaOf(comparisons), bins - 1);
  const atLeast = Math.max(MIN_ROWS, MIN_EXPECTED * bins);
  /** Rows of one set for a floor at the threshold, without the part of the floor that the other set causes. */
  const rowsAt = (floor: number): number =>
    quantile > 0 ? Math.max(atLeast, Math.ceil(quantile / floor) + 1) : atLeast;
  const rest = threshold - quantile / reference;
  const needed =
    reference >= atLeast && rest > threshold / 10
      ? rowsAt(rest) - current
      : rowsAt(threshold / 2) - Math.min(reference, current);
  return Math.min(MAX_INT32, Math.max(1, needed));
}

/** Rows of the smaller and the larger set, and the count of each bin in both together; none is 0. */
interface Sets {
  small: number;
  large: number;
  pooled: readonly number[];
}

/** Returns the expected count of a bin in the smaller set. */
const expected = (count: number, { small, large }: Sets): number => (count * small) / (small + large);

/**
 * Returns the quantile of a scaled chi-square distribution. Its mean and variance are (bins − 1)(1/N + 1/M) and twice
 * (bins − 1)(1/N + 1/M)² for frequent bins; rare bins add the mean and variance of their own distribution.
 */
function asymptoticFloor(sets: Sets, alpha: number): number {
  const unit = 1 / sets.small + 1 / sets.large;
  let mean = 0;
  let variance = 0;
  let frequent = 0;
  const rare = new Map<number, Moments>();
  for (const count of sets.pooled) {
    if (expected(count, sets) >= MIN_EXPECTED) {
      frequent += 1;
      continue;
    }
    const moments = rare.get(count) ?? rareBinMoments(count, sets);
    rare.set(count, moments);
    mean += moments.mean;
    variance += moments.variance;
  }
  const degrees = Math.max(0, frequent - 1);
  mean += degrees * unit;
  variance += 2 * degrees * unit * unit;
  if (variance <= 0) return mean;
  return (variance / (2 * mean)) * chiSquareQuantile(alpha, (2 * mean * mean) / variance);
}

interface Moments {
  mean: number;
  variance: number;
}

/** Returns mean and variance of a bin's contribution if its rows are in either set by chance. */
function rareBinMoments(count: number, sets: Sets): Moments {
  const share = sets.small / (sets.small + sets.large);
  const contributions = contributionTable(count, sets);
  let mean = 0;
  let squares = 0;
  const logFactorial = logGamma(count + 1);
  for (const [drawn, contribution] of contributions.entries()) {
    const probability = Math.exp(
      logFactorial -
        logGamma(drawn + 1) -
        logGamma(count - drawn + 1) +
        drawn * Math.log(share) +
        (count - drawn) * Math.log1p(-share),
    );
    mean += probability * contribution;
    squares += probability * contribution * contribution;
  }
  return { mean, variance: Math.max(0, squares - mean * mean) };
}

/** Returns the contribution of a bin for each count in the smaller set, up to one that is practically impossible. */
function contributionTable(count: number, sets: Sets): Float64Array {
  const mean = expected(count, sets);
  const most = Math.min(count, sets.small, Math.ceil(mean + 10 * Math.sqrt(mean) + 20));
  return Float64Array.from({ length: most + 1 }, (_, drawn) =>
    binContribution(count - drawn, drawn, { reference: sets.large, current: sets.small }),
  );
}

/**
 * Assigns the pooled rows to the sets at random, again and again, and returns the quantile of the scores. A quantile
 * beyond the permutations is extrapolated exponentially from the largest scores.
 */
function permutationFloor(sets: Sets, alpha: number, maxDraws: number): number {
  const { small, pooled } = sets;
  const tables = pooled.map((count) => contributionTable(count, sets));
  const offsets = new Uint32Array(tables.length);
  let length = 0;
  for (const [bin, table] of tables.entries()) {
    offsets[bin] = length;
    length += table.length;
  }
  /** Change of the score if one more row of a bin is drawn, by bin and number of rows drawn before. */
  const steps = new Float64Array(length);
  let base = 0;
  for (const [bin, table] of tables.entries()) {
    base += table[0] ?? 0;
    for (let drawn = 1; drawn < table.length; drawn += 1) {
      steps[(offsets[bin] ?? 0) + drawn - 1] = (table[drawn] ?? 0) - (table[drawn - 1] ?? 0);
    }
  }

  const rows = poolRows(pooled);
  // The quantile is extrapolated from the largest scores, so there must be enough of them.
  const permutations = Math.max(10 * TAIL, Math.ceil(maxDraws / small));
  const scores = new Float64Array(Math.min(MAX_PERMUTATIONS, permutations));
  const drawn = new Uint32Array(pooled.length);
  let random = SEED;
  for (let permutation = 0; permutation < scores.length; permutation += 1) {
    let score = base;
    for (let at = 0; at < small; at += 1) {
      // xorshift32, inline: a closure would allocate a number for each row.
      random ^= random << 13;
      random ^= random >>> 17;
      random ^= random << 5;
      const picked = at + Math.floor(((random >>> 0) / 4_294_967_296) * (rows.length - at));
      const bin = rows[picked] as number;
      rows[picked] = rows[at] as number;
      rows[at] = bin;
      const before = drawn[bin] as number;
      score += steps[(offsets[bin] as number) + before] as number;
      drawn[bin] = before + 1;
    }
    for (let at = 0; at < small; at += 1) drawn[rows[at] as number] = 0;
    scores[permutation] = score;
  }
  return tailQuantile(scores.sort(), alpha);
}

/** Returns the bin of each pooled row. */
function poolRows(pooled: readonly number[]): Uint32Array {
  const total = pooled.reduce((sum, count) => sum + count, 0);
  const rows = new Uint32Array(Math.min(total, MAX_POOLED_ROWS));
  const step = total / rows.length;
  let bin = 0;
  let end = pooled[0] ?? 0;
  for (let row = 0; row < rows.length; row += 1) {
    while ((row + 0.5) * step > end) {
      bin += 1;
      end += pooled[bin] ?? Number.POSITIVE_INFINITY;
    }
    rows[row] = bin;
  }
  return rows;
}

/** Returns the value that a share `alpha` of the distribution exceeds. @param sorted scores, ascending */
function tailQuantile(sorted: Float64Array, alpha: number): number {
  const above = Math.floor(alpha * sorted.length);
  const found = sorted[sorted.length - 1 - above] as number;
  if (above >= TAIL) return found;
  const tail = sorted.subarray(-TAIL);
  const start = sorted[sorted.length - 1 - TAIL] as number;
  const excess = tail.reduce((sum, score) => sum + score - start, 0) / TAIL;
  // A bin that is empty by chance is a step in the tail, which the extrapolation would smooth.
  return Math.max(found, start + excess * Math.log(TAIL / (alpha * sorted.length)));
}
