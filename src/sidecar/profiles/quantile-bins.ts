import { quantileEdges } from '../psi/psi.ts';
import { countNumbers, type Distribution, lowerBound } from './value-distribution.ts';
import { mergeOverlapping, type Windows, windowIndexOf } from './value-windows.ts';

/** Returns the bin edges of a reference; null if one lies outside the windows and therefore is not known exactly. */
export function edgesOf(reference: Distribution, windows: Windows): number[] | null {
  const edges = quantileEdges(countNumbers(reference), (ranks) => valuesAt(reference, windows, ranks));
  return edges.every((edge) => windowIndexOf(windows, edge) >= 0) ? edges : null;
}

/** Returns the values at the given ranks, except values outside the windows. */
function valuesAt(
  { gaps, values, counts, length }: Distribution,
  { highs }: Windows,
  ranks: readonly number[],
): Map<number, number> {
  const found = new Map<number, number>();
  const wanted = [...new Set(ranks)].sort((a, b) => a - b);
  let next = 0;
  let below = 0;
  let index = 0;
  for (let at = 0; at < gaps.length; at += 1) {
    below += gaps[at] as number;
    while (next < wanted.length && (wanted[next] as number) < below) next += 1;
    const high = highs[at] ?? Number.NEGATIVE_INFINITY;
    for (; index < length && (values[index] as number) <= high; index += 1) {
      below += counts[index] as number;
      for (; next < wanted.length && (wanted[next] as number) < below; next += 1) {
        found.set(wanted[next] as number, values[index] as number);
      }
    }
  }
  return found;
}

/**
 * Counts the numbers of each bin. A bin is (a, b]; the outer ones are unbounded.
 * @param edges each lies within a window
 */
export function binsOf(
  { gaps, values, counts, length }: Distribution,
  { highs }: Windows,
  edges: readonly number[],
): Float64Array {
  const bins = new Float64Array(edges.length + 1);
  const gapBins = [0, ...highs.map((high) => edges.filter((edge) => edge <= high).length)];
  let index = 0;
  for (let at = 0; at < gaps.length; at += 1) {
    let bin = gapBins[at] as number;
    let count = gaps[at] as number;
    const high = highs[at] ?? Number.NEGATIVE_INFINITY;
    for (; index < length && (values[index] as number) <= high; index += 1) {
      while (bin < edges.length && (values[index] as number) > (edges[bin] as number)) {
        bins[bin] = (bins[bin] as number) + count;
        count = 0;
        bin += 1;
      }
      count += counts[index] as number;
    }
    bins[bin] = (bins[bin] as number) + count;
  }
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
