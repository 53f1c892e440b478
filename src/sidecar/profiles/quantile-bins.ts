import { quantileEdges } from '../psi/psi.ts';
import { countNumbers, type Distribution, lowerBound } from './value-distribution.ts';
import { mergeOverlapping, type Windows, windowIndexOf } from './value-windows.ts';

/** Returns the bin edges of a reference; null if one lies outside the windows and therefore is not known exactly. */
export function edgesOf(reference: Distribution, windows: Windows): number[] | null {
  const edges = quantileEdges(countNumbers(reference), (ranks) => valuesAt(reference, windows, ranks));
  return edges.every((edge) => windowIndexOf(windows, edge) >= 0) ? edges : null;
}

/** Returns the values at the given ranks, except those that lie outside the windows. */
function valuesAt(
  distribution: Distribution,
  windows: Windows,
  ranks: readonly number[],
): Map<number, number> {
  const found = new Map<number, number>();
  const wanted = [...new Set(ranks)].sort((a, b) => a - b);
  let next = 0;
  let below = 0;
  const visit = (count: number, value: number | null): void => {
    below += count;
    for (; next < wanted.length && (wanted[next] as number) < below; next += 1) {
      if (value !== null) found.set(wanted[next] as number, value);
    }
  };
  visitAscending(distribution, windows, visit);
  return found;
}

/** Visits the counts of all numbers in ascending order: each value with its count, each gap with null. */
function visitAscending(
  { gaps, values, counts, length }: Distribution,
  { highs }: Windows,
  visit: (count: number, value: number | null) => void,
): void {
  let index = 0;
  for (let at = 0; at < gaps.length; at += 1) {
    visit(gaps[at] as number, null);
    const high = highs[at] ?? Number.NEGATIVE_INFINITY;
    for (; index < length && (values[index] as number) <= high; index += 1) {
      visit(counts[index] as number, values[index] as number);
    }
  }
}

/**
 * Counts the numbers of each bin. A bin is (a, b]; the outer ones are unbounded.
 * @param edges each lies within a window
 */
export function binsOf(distribution: Distribution, windows: Windows, edges: readonly number[]): Float64Array {
  const bins = new Float64Array(edges.length + 1);
  const gapBins = [0, ...windows.highs.map((high) => edges.filter((edge) => edge <= high).length)];
  let gap = 0;
  let bin = 0;
  visitAscending(distribution, windows, (count, value) => {
    if (value === null) {
      bin = gapBins[gap] as number;
      gap += 1;
    } else while (bin < edges.length && value > (edges[bin] as number)) bin += 1;
    bins[bin] = (bins[bin] as number) + count;
  });
  return bins;
}

interface WindowsAroundOptions {
  edges: readonly number[];
  /** The numbers of both sets. */
  all: Distribution;
  /** The present windows. */
  windows: Windows;
  /** Number of values to keep on either side of an edge. */
  keep: number;
}

/** Builds windows around edges, within the present windows. */
export function windowsAround({ edges, all, windows, keep }: WindowsAroundOptions): Windows {
  const kept = all.values.subarray(0, all.length);
  const ranges = edges.map((edge) => {
    const at = windowIndexOf(windows, edge);
    const place = lowerBound({ distribution: all, value: edge, from: 0, to: all.length });
    const low = kept[place - keep] ?? Number.NEGATIVE_INFINITY;
    const high = kept[place + keep] ?? Number.POSITIVE_INFINITY;
    return {
      low: Math.min(edge, Math.max(low, windows.lows[at] ?? edge)),
      high: Math.max(edge, Math.min(high, windows.highs[at] ?? edge)),
    };
  });
  return mergeOverlapping(ranges);
}
