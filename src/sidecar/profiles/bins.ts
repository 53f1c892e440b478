import { quantileEdges } from '../psi/psi.ts';
import { type Spread, sizeOf } from './spread.ts';
import { joined, NOTHING, type Windows, windowOf } from './windows.ts';

/** The edges of a reference; null when one of them has left the windows, and cannot be told from here. */
export function edgesOf(reference: Spread, windows: Windows): number[] | null {
  const edges = quantileEdges(sizeOf(reference), (ranks) => valuesAt(reference, windows, ranks));
  return edges.every((edge) => windowOf(windows, edge) >= 0) ? edges : null;
}

/** The values at some ranks, as far as they are in windows. */
function valuesAt(spread: Spread, windows: Windows, ranks: readonly number[]): Map<number, number> {
  const found = new Map<number, number>();
  const wanted = [...new Set(ranks)].sort((a, b) => a - b);
  let next = 0;
  let below = 0;
  const pass = (count: number, value: number | null): void => {
    below += count;
    for (; next < wanted.length && (wanted[next] as number) < below; next += 1) {
      if (value !== null) found.set(wanted[next] as number, value);
    }
  };
  eachInOrder(spread, windows, pass);
  return found;
}

/** Passes through all numbers, ascending: each value with its count, and null with that of each gap. */
function eachInOrder(
  { gaps, values, counts, length }: Spread,
  { highs }: Windows,
  pass: (count: number, value: number | null) => void,
): void {
  let index = 0;
  for (let at = 0; at < gaps.length; at += 1) {
    pass(gaps[at] as number, null);
    const high = highs[at] ?? Number.NEGATIVE_INFINITY;
    for (; index < length && (values[index] as number) <= high; index += 1) {
      pass(counts[index] as number, values[index] as number);
    }
  }
}

/** The numbers in each bin between edges that lie in windows: a bin is (a, b], the outer ones are open. */
export function binsOf(spread: Spread, windows: Windows, edges: readonly number[]): Float64Array {
  const bins = new Float64Array(edges.length + 1);
  const gapBins = [0, ...windows.highs.map((high) => edges.filter((edge) => edge <= high).length)];
  let gap = 0;
  let bin = 0;
  eachInOrder(spread, windows, (count, value) => {
    if (value === null) {
      bin = gapBins[gap] as number;
      gap += 1;
    } else while (bin < edges.length && value > (edges[bin] as number)) bin += 1;
    bins[bin] = (bins[bin] as number) + count;
  });
  return bins;
}

/**
 * Windows around edges, within those that there are, with so many kept values at either side of each edge.
 * @param all every set's numbers
 */
export function windowsAround(
  edges: readonly number[] | null,
  all: Spread,
  windows: Windows,
  keep: number,
): Windows {
  if (edges === null) return NOTHING;
  const kept = all.values.subarray(0, all.length);
  const spans = edges.map((edge) => {
    const at = windowOf(windows, edge);
    const after = kept.findIndex((value) => value >= edge);
    const place = after < 0 ? kept.length : after;
    const low = kept[place - keep] ?? Number.NEGATIVE_INFINITY;
    const high = kept[place + keep] ?? Number.POSITIVE_INFINITY;
    return {
      low: Math.min(edge, Math.max(low, windows.lows[at] ?? edge)),
      high: Math.max(edge, Math.min(high, windows.highs[at] ?? edge)),
    };
  });
  return joined(spans);
}
