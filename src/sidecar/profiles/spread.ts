import { releaseBuffer } from '../../platform/release-buffer.ts';
import type { Windows } from './windows.ts';

/** The numbers of one feature: those in its windows one by one, the others counted. */
export interface Spread {
  /** Numbers below the first window, between each two, and above the last. */
  gaps: Float64Array;
  /** The distinct values in the windows, ascending, and how often each is there; the first `length` places count. */
  values: Float64Array;
  counts: Uint32Array;
  length: number;
}

export const emptySpread = ({ lows }: Windows): Spread => ({
  gaps: new Float64Array(lows.length + 1),
  values: new Float64Array(),
  counts: new Uint32Array(),
  length: 0,
});

/** Gives back the memory of a spread that nobody looks at any more. */
export function releaseSpread({ values, counts }: Pick<Spread, 'values' | 'counts'>): void {
  releaseBuffer(values.buffer);
  releaseBuffer(counts.buffer);
}

/** What is about to be added: the memory of one call after the other, since a new one each time would pile up. */
const added: Omit<Spread, 'gaps'> = { values: new Float64Array(), counts: new Uint32Array(), length: 0 };

function makeRoomToAdd(size: number): void {
  if (added.values.length >= size) return;
  releaseSpread(added);
  added.values = new Float64Array(size);
  added.counts = new Uint32Array(size);
}

/** Adds numbers. `NaN` is no number. */
export function addNumbers(spread: Spread, { lows, highs }: Windows, numbers: Float64Array): void {
  const { gaps } = spread;
  makeRoomToAdd(numbers.length);
  let found = 0;
  for (let index = 0; index < numbers.length; index += 1) {
    const value = numbers[index] as number;
    if (Number.isNaN(value)) continue;
    let at = 0;
    while (at < highs.length && value > (highs[at] as number)) at += 1;
    if (at < lows.length && value >= (lows[at] as number)) {
      added.values[found] = value + 0; // one zero of both
      found += 1;
    } else gaps[at] = (gaps[at] as number) + 1;
  }
  countEqual(found);
  mergeAdded(spread);
}

/** Sorts the values that are about to be added, and counts equal ones together. */
function countEqual(found: number): void {
  const { values, counts } = added;
  values.subarray(0, found).sort();
  added.length = 0;
  for (let index = 0; index < found; index += 1) {
    const value = values[index] as number;
    if (added.length > 0 && values[added.length - 1] === value) {
      counts[added.length - 1] = (counts[added.length - 1] as number) + 1;
    } else {
      values[added.length] = value;
      counts[added.length] = 1;
      added.length += 1;
    }
  }
}

/** Adds what was prepared, all of it in windows. */
function mergeAdded(spread: Spread): void {
  // Those that are there already are only counted; the others move to the front.
  let fresh = 0;
  let place = 0;
  for (let index = 0; index < added.length; index += 1) {
    const value = added.values[index] as number;
    const count = added.counts[index] as number;
    place = placeOf(spread, value, place, spread.length);
    if (place < spread.length && spread.values[place] === value) {
      spread.counts[place] = (spread.counts[place] as number) + count;
    } else {
      added.values[fresh] = value;
      added.counts[fresh] = count;
      fresh += 1;
    }
  }
  reserve(spread, spread.length + fresh);
  // From the end, so that nothing is overwritten before it has moved; what lies between two of them moves at once.
  let end = spread.length;
  for (let next = fresh - 1; next >= 0; next -= 1) {
    const value = added.values[next] as number;
    const start = placeOf(spread, value, 0, end);
    spread.values.copyWithin(start + next + 1, start, end);
    spread.counts.copyWithin(start + next + 1, start, end);
    spread.values[start + next] = value;
    spread.counts[start + next] = added.counts[next] as number;
    end = start;
  }
  spread.length += fresh;
}

/** Where the first value is, between two places, that is not below this one. */
function placeOf({ values }: Spread, value: number, from: number, to: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Makes room for so many values. */
function reserve(spread: Spread, length: number): void {
  if (length <= spread.values.length) return;
  const { values, counts } = spread;
  const room = Math.ceil(length * 1.25);
  spread.values = new Float64Array(room);
  spread.values.set(values);
  spread.counts = new Uint32Array(room);
  spread.counts.set(counts);
  releaseSpread({ values, counts });
}

/** Works with all numbers of several spreads under the same windows, which are gone afterwards. */
export function withSum<T>(spreads: readonly Spread[], windows: Windows, use: (sum: Spread) => T): T {
  const [only] = spreads;
  if (only && spreads.length === 1) return use(only);
  const sum = emptySpread(windows);
  for (const { gaps, values, counts, length } of spreads) {
    for (let gap = 0; gap < gaps.length; gap += 1) {
      sum.gaps[gap] = (sum.gaps[gap] as number) + (gaps[gap] as number);
    }
    makeRoomToAdd(length);
    added.values.set(values.subarray(0, length));
    added.counts.set(counts.subarray(0, length));
    added.length = length;
    mergeAdded(sum);
  }
  const result = use(sum);
  releaseSpread(sum);
  return result;
}

/** The same numbers under windows of which each lies in one of those before. */
export function narrowed(spread: Spread, before: Windows, windows: Windows): Spread {
  const next = emptySpread(windows);
  reserve(next, spread.length);
  const { highs } = windows;
  for (let gap = 0; gap < spread.gaps.length; gap += 1) {
    const below = before.highs[gap - 1] ?? Number.NEGATIVE_INFINITY;
    const at = gap === 0 ? 0 : highs.filter((high) => high <= below).length;
    next.gaps[at] = (next.gaps[at] as number) + (spread.gaps[gap] as number);
  }
  let at = 0;
  for (let index = 0; index < spread.length; index += 1) {
    const value = spread.values[index] as number;
    const count = spread.counts[index] as number;
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
  releaseSpread({ values, counts });
  return next;
}

/** How many numbers there are. */
export function sizeOf({ gaps, counts, length }: Spread): number {
  let size = gaps.reduce((sum, count) => sum + count, 0);
  for (let index = 0; index < length; index += 1) size += counts[index] as number;
  return size;
}
