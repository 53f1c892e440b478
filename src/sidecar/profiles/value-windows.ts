/**
 * Disjoint, ascending, closed value ranges around the bin edges of a feature. Inside them every number is kept, so
 * that an edge can move within its window while all counts stay exact; outside, numbers are only counted.
 */
export interface Windows {
  lows: readonly number[];
  highs: readonly number[];
}

export const ALL_VALUES: Windows = {
  lows: [Number.NEGATIVE_INFINITY],
  highs: [Number.POSITIVE_INFINITY],
};

export const NO_VALUES: Windows = { lows: [], highs: [] };

/** Builds windows that contain only the edges. They suffice until an edge moves. */
export const pointWindows = (edges: readonly number[]): Windows => ({ lows: edges, highs: edges });

/** Merges overlapping ranges, which are sorted by `low`. */
export function mergeOverlapping(ranges: readonly { low: number; high: number }[]): Windows {
  const lows: number[] = [];
  const highs: number[] = [];
  for (const { low, high } of ranges) {
    const last = highs.at(-1);
    if (last !== undefined && low <= last) {
      highs[highs.length - 1] = Math.max(last, high);
    } else {
      lows.push(low);
      highs.push(high);
    }
  }
  return { lows, highs };
}

/** Returns the index of the window that contains a value; -1 if there is none. */
export const windowIndexOf = ({ lows, highs }: Windows, value: number): number =>
  lows.findIndex((low, index) => value >= low && value <= (highs[index] as number));

export const sameWindows = (a: Windows, b: Windows): boolean =>
  a === b ||
  (a.lows.length === b.lows.length &&
    a.lows.every((low, index) => low === b.lows[index] && a.highs[index] === b.highs[index]));
