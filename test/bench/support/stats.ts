const sorted = (values: Iterable<number>): number[] => [...values].sort((a, b) => a - b);

/** The value that the share `p` (0 to 1) of the values does not exceed; nearest rank. */
export function percentile(values: Iterable<number>, p: number): number {
  const list = sorted(values);
  return list[Math.max(0, Math.ceil(list.length * p) - 1)] ?? Number.NaN;
}

export const median = (values: Iterable<number>): number => {
  const list = sorted(values);
  const middle = list.length / 2;
  return Number.isInteger(middle)
    ? ((list[middle - 1] ?? Number.NaN) + (list[middle] ?? Number.NaN)) / 2
    : (list[Math.floor(middle)] ?? Number.NaN);
};

/** Differences in pairs: how long each took. */
export const durations = (from: Float64Array, to: Float64Array): Float64Array =>
  to.map((at, index) => at - (from[index] ?? Number.NaN));

/** Results of two consecutive runs. */
export interface Pair<T> {
  subject: T;
  baseline: T;
}

/** Makes runs in turns, each time with the other one first, so that a drift of the machine meets both. */
export async function alternate<T>(
  pairs: number,
  subject: () => Promise<T>,
  baseline: () => Promise<T>,
): Promise<Pair<T>[]> {
  const results: Pair<T>[] = [];
  for (let i = 0; i < pairs; i += 1) {
    if (i % 2 === 0) {
      const first = await baseline();
      results.push({ baseline: first, subject: await subject() });
    } else {
      const first = await subject();
      results.push({ subject: first, baseline: await baseline() });
    }
  }
  return results;
}

/** The medians of all that was measured on either side, whatever turn it came in. */
export const medians = (turns: Pair<Float64Array>[]): Pair<number> => ({
  subject: median(turns.flatMap(({ subject }) => [...subject])),
  baseline: median(turns.flatMap(({ baseline }) => [...baseline])),
});
