import { formatEdge } from '../drift-format.ts';
import type { DriftBin } from './use-drift-feature.ts';

/** With more categories, their bars would not be distinguishable. */
const MAX_CHART_CATEGORIES = 12;

/** `≤ 3.5`, `3.5 – 4.25`, `> 9`, a category, or the bin without a value. */
export function binLabel({
  lower,
  upper,
  category,
  missing,
}: Omit<DriftBin, 'reference' | 'current' | 'contribution'>): string {
  if (missing) return '(no value)';
  if (category !== null) return category || '(empty)';
  if (lower === null) return upper === null ? 'all numbers' : `≤ ${formatEdge(upper)}`;
  return upper === null ? `> ${formatEdge(lower)}` : `${formatEdge(lower)} – ${formatEdge(upper)}`;
}

const isRange = ({ category, missing }: DriftBin): boolean => category === null && !missing;

/**
 * Returns the bins of a chart: ranges in ascending order, the categories that moved most, and the rows without a value.
 *
 * @param bins largest contribution first
 */
export function chartBins(bins: readonly DriftBin[]): DriftBin[] {
  const start = ({ lower }: DriftBin): number => lower ?? Number.NEGATIVE_INFINITY;
  return [
    ...bins.filter(isRange).toSorted((a, b) => start(a) - start(b)),
    ...bins.filter(({ category }) => category !== null).slice(0, MAX_CHART_CATEGORIES),
    ...bins.filter(({ missing }) => missing),
  ];
}
