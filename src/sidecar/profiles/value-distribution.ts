import { releaseBuffer } from '../../platform/release-buffer.ts';
import type { Windows } from './value-windows.ts';

/** The numbers of one feature: each distinct value inside its windows with its count, and the counts of the gaps. */
export interface Distribution {
  /** Counts of the numbers below the first window, between adjacent windows, and above the last. */
  gaps: Float64Array;
  /** The distinct values inside the windows, ascending. Only the first `length` elements are in use. */
  values: Float64Array;
  /** Count of each value. */
  counts: Uint32Array;
  length: number;
}

export const emptyDistribution = ({ lows }: Windows): Distribution => ({
  gaps: new Float64Array(lows.length + 1),
  values: new Float64Array(),
  counts: new Uint32Array(),
  length: 0,
});

/** Frees the memory of a distribution that is no longer used. */
export function releaseDistribution({ values, counts }: Pick<Distribution, 'values' | 'counts'>): void {
  releaseBuffer(values.buffer);
  releaseBuffer(counts.buffer);
}

/** With fewer new values than a present one in so many, searching their places is faster than passing all values. */
const MERGE_RATIO = 16;

/** Values to be merged next. Reused by all calls: new buffers for each call would accumulate until collected. */
const scratch: Omit<Distribution, 'gaps'> = {
  values: new Float64Array(),
  counts: new Uint32Array(),
  length: 0,
};

function reserveScratch(length: number): void {
  if (scratch.values.length >= length) return;
  releaseDistribution(scratch);
  scratch.values = new Float64Array(length);
  scratch.counts = new Uint32Array(length);
}

/** Adds numbers; skips `NaN`. */
export function addNumbers(distribution: Distribution, windows: Windows, numbers: Float64Array): void {
  countInScratch(distribution.gaps, windows, { numbers, step: 1 });
  mergeScratch(distribution);
}

/** Removes numbers that were added before; skips `NaN`. */
export function removeNumbers(distribution: Distribution, windows: Windows, numbers: Float64Array): void {
  countInScratch(distribution.gaps, windows, { numbers, step: -1 });
  subtractScratch(distribution);
}

/**
 * Counts numbers outside the windows in the gaps, and numbers inside in the scratch buffer.
 * @param step 1 to add to the gaps, −1 to remove from them
 */
function countInScratch(
  gaps: Float64Array,
  { lows, highs }: Windows,
  { numbers, step }: { numbers: Float64Array; step: 1 | -1 },
): void {
  reserveScratch(numbers.length);
  const inside = scratch.values;
  // Typed arrays, because these loops run for every number that is added.
  const lowest = Float64Array.from(lows);
  const highest = Float64Array.from(highs);
  let found = 0;
  for (let index = 0; index < numbers.length; index += 1) {
    const value = numbers[index] as number;
    if (Number.isNaN(value)) continue;
    let at = 0;
    while (at < highest.length && value > (highest[at] as number)) at += 1;
    if (at < lowest.length && value >= (lowest[at] as number)) {
      inside[found] = value + 0; // turns -0 into 0
      found += 1;
    } else gaps[at] = (gaps[at] as number) + step;
  }
  aggregateScratch(found);
}

/** Sorts the first `found` values of the scratch buffer and aggregates equal ones. */
function aggregateScratch(found: number): void {
  const { values, counts } = scratch;
  values.subarray(0, found).sort();
  scratch.length = 0;
  for (let index = 0; index < found; index += 1) {
    const value = values[index] as number;
    if (scratch.length > 0 && values[scratch.length - 1] === value) {
      counts[scratch.length - 1] = (counts[scratch.length - 1] as number) + 1;
    } else {
      values[scratch.length] = value;
      counts[scratch.length] = 1;
      scratch.length += 1;
    }
  }
}

/** Merges the scratch buffer, whose values all lie inside the windows, into a distribution. */
function mergeScratch(distribution: Distribution): void {
  // Known values only increase their counts; new values move to the front of the scratch buffer.
  let added = 0;
  let at = 0;
  const many = scratch.length * MERGE_RATIO >= distribution.length;
  for (let index = 0; index < scratch.length; index += 1) {
    const value = scratch.values[index] as number;
    const count = scratch.counts[index] as number;
    if (many) while (at < distribution.length && (distribution.values[at] as number) < value) at += 1;
    else at = lowerBound({ distribution, value, from: at, to: distribution.length });
    if (at < distribution.length && distribution.values[at] === value) {
      distribution.counts[at] = (distribution.counts[at] as number) + count;
    } else {
      scratch.values[added] = value;
      scratch.counts[added] = count;
      added += 1;
    }
  }
  if (added * MERGE_RATIO < distribution.length) insertScratch(distribution, added);
  else mergeNewValues(distribution, added);
}

/** Inserts few new values: runs of present values between them move as one block. */
function insertScratch(distribution: Distribution, added: number): void {
  reserve(distribution, distribution.length + added);
  // Backwards, so that every value moves before its place is overwritten.
  let end = distribution.length;
  for (let next = added - 1; next >= 0; next -= 1) {
    const value = scratch.values[next] as number;
    const start = lowerBound({ distribution, value, from: 0, to: end });
    distribution.values.copyWithin(start + next + 1, start, end);
    distribution.counts.copyWithin(start + next + 1, start, end);
    distribution.values[start + next] = value;
    distribution.counts[start + next] = scratch.counts[next] as number;
    end = start;
  }
  distribution.length += added;
}

/** Subtracts the scratch buffer, whose values a distribution has, and drops the values without a count. */
function subtractScratch(distribution: Distribution): void {
  const { values, counts, length } = distribution;
  let at = 0;
  for (let index = 0; index < scratch.length; index += 1) {
    at = lowerBound({ distribution, value: scratch.values[index] as number, from: at, to: length });
    counts[at] = (counts[at] as number) - (scratch.counts[index] as number);
  }
  let kept = 0;
  for (let index = 0; index < length; index += 1) {
    if (counts[index] === 0) continue;
    values[kept] = values[index] as number;
    counts[kept] = counts[index] as number;
    kept += 1;
  }
  distribution.length = kept;
}

/** Merges many new values one by one, backwards. */
function mergeNewValues(distribution: Distribution, added: number): void {
  reserve(distribution, distribution.length + added);
  const { values, counts } = distribution;
  let from = distribution.length - 1;
  let next = added - 1;
  for (let to = from + added; next >= 0; to -= 1) {
    const value = scratch.values[next] as number;
    if (from >= 0 && (values[from] as number) > value) {
      values[to] = values[from] as number;
      counts[to] = counts[from] as number;
      from -= 1;
    } else {
      values[to] = value;
      counts[to] = scratch.counts[next] as number;
      next -= 1;
    }
  }
  distribution.length += added;
}

interface LowerBoundOptions {
  distribution: Distribution;
  value: number;
  from: number;
  to: number;
}

/** Returns the index of the first value in [`from`, `to`) that is not less than `value`; `to` if there is none. */
export function lowerBound({ distribution: { values }, value, from, to }: LowerBoundOptions): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Grows the buffers of a distribution to hold at least `length` values. */
function reserve(distribution: Distribution, length: number): void {
  if (length <= distribution.values.length) return;
  const { values, counts } = distribution;
  const capacity = Math.ceil(length * 1.25);
  distribution.values = new Float64Array(capacity);
  distribution.values.set(values);
  distribution.counts = new Uint32Array(capacity);
  distribution.counts.set(counts);
  releaseDistribution({ values, counts });
}

/** Builds the distribution of numbers; skips `NaN`. */
export function distributionOf(numbers: Float64Array, windows: Windows): Distribution {
  const { gaps } = emptyDistribution(windows);
  countInScratch(gaps, windows, { numbers, step: 1 });
  const { values, counts, length } = scratch;
  return { gaps, values: values.slice(0, length), counts: counts.slice(0, length), length };
}

/** Adds the numbers of a distribution with the same windows. */
export function addDistribution(distribution: Distribution, added: Distribution): void {
  const { gaps } = distribution;
  for (let gap = 0; gap < gaps.length; gap += 1) {
    gaps[gap] = (gaps[gap] as number) + (added.gaps[gap] as number);
  }
  const { values, counts, length } = added;
  reserveScratch(length);
  scratch.values.set(values.subarray(0, length));
  scratch.counts.set(counts.subarray(0, length));
  scratch.length = length;
  mergeScratch(distribution);
}

/** Merges distributions with the same windows, calls `use`, and frees the merged one. */
export function withMerged<T>(
  distributions: readonly Distribution[],
  windows: Windows,
  use: (merged: Distribution) => T,
): T {
  const [only] = distributions;
  if (only && distributions.length === 1) return use(only);
  const merged = emptyDistribution(windows);
  for (const distribution of distributions) addDistribution(merged, distribution);
  const result = use(merged);
  releaseDistribution(merged);
  return result;
}

/**
 * Returns the same numbers with narrower windows.
 * @param windows each lies within one of the windows `before`
 */
export function narrowTo(distribution: Distribution, before: Windows, windows: Windows): Distribution {
  const next = emptyDistribution(windows);
  reserve(next, distribution.length);
  const { highs } = windows;
  for (let gap = 0; gap < distribution.gaps.length; gap += 1) {
    const below = before.highs[gap - 1] ?? Number.NEGATIVE_INFINITY;
    const at = gap === 0 ? 0 : highs.filter((high) => high <= below).length;
    next.gaps[at] = (next.gaps[at] as number) + (distribution.gaps[gap] as number);
  }
  let at = 0;
  for (let index = 0; index < distribution.length; index += 1) {
    const value = distribution.values[index] as number;
    const count = distribution.counts[index] as number;
    while (at < highs.length && value > (highs[at] as number)) at += 1;
    if (at < highs.length && value >= (windows.lows[at] as number)) {
      next.values[next.length] = value;
      next.counts[next.length] = count;
      next.length += 1;
    } else next.gaps[at] = (next.gaps[at] as number) + count;
  }
  const { values, counts, length } = next;
  next.values = values.slice(0, length);
  next.counts = counts.slice(0, length);
  releaseDistribution({ values, counts });
  return next;
}

/** Returns how many numbers a distribution has, including repetitions. */
export function countNumbers({ gaps, counts, length }: Distribution): number {
  let total = gaps.reduce((sum, count) => sum + count, 0);
  for (let index = 0; index < length; index += 1) total += counts[index] as number;
  return total;
}
