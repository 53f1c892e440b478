import { formatNumber } from '../../format.ts';
import type { DriftBin } from './drift-queries.ts';

const edgeFormat = new Intl.NumberFormat('en', { maximumSignificantDigits: 6 });

/** `0.238`: a score, a component of it, a distance, or the contribution of a bin. */
export const formatScore = (score: number): string => score.toFixed(3);

/** `12.345`, `1,234,567`: an edge of a bin. */
const formatEdge = (edge: number): string =>
  Number.isInteger(edge) ? formatNumber(edge) : edgeFormat.format(edge);

/** Describes the result of a comparison. */
export const resultLabel = (result: { isDrifted: boolean; insufficientData: boolean }): string =>
  result.isDrifted ? 'drifted' : result.insufficientData ? 'too few samples' : 'no drift';

/** Cuts a label that a chart has no room for. */
export const shorten = (label: string, maxLength: number): string =>
  label.length > maxLength ? `${label.slice(0, maxLength - 1)}…` : label;

/** `≤ 3.5`, `3.5 – 4.25`, `> 9`, a category, or the bin without a value. */
export function binLabel({
  lower,
  upper,
  category,
  missing,
}: Pick<DriftBin, 'lower' | 'upper' | 'category' | 'missing'>): string {
  if (missing) return '(no value)';
  if (category !== null) return category || '(empty)';
  if (lower === null) return upper === null ? 'all numbers' : `≤ ${formatEdge(upper)}`;
  return upper === null ? `> ${formatEdge(lower)}` : `${formatEdge(lower)} – ${formatEdge(upper)}`;
}
