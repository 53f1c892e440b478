/**
 * Spans of values around the edges, in order and apart from each other, both ends within. In them every number is kept,
 * so that an edge may move there and all counts stay exact; between them numbers are only counted.
 */
export interface Windows {
  lows: readonly number[];
  highs: readonly number[];
}

/** All numbers are kept. */
export const EVERYTHING: Windows = {
  lows: [Number.NEGATIVE_INFINITY],
  highs: [Number.POSITIVE_INFINITY],
};

/** No number is kept. */
export const NOTHING: Windows = { lows: [], highs: [] };

/** Nothing but the edges themselves: enough to go on counting for as long as they stay where they are. */
export const pointsAt = (edges: readonly number[]): Windows => ({ lows: edges, highs: edges });

/** Spans in the order of their lower ends; those that meet become one. */
export function joined(spans: readonly { low: number; high: number }[]): Windows {
  const lows: number[] = [];
  const highs: number[] = [];
  for (const { low, high } of spans) {
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

/** The window that holds a value, by its place; -1: none does. */
export const windowOf = ({ lows, highs }: Windows, value: number): number =>
  lows.findIndex((low, index) => value >= low && value <= (highs[index] as number));
