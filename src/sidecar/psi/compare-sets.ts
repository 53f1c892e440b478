import { MIN_ROWS } from '../../shared/drift-limits.ts';
import { PREDICTION, RESIDUAL } from '../samples/samples.types.ts';
import { noiseFloor } from './noise-floor.ts';
import {
  countBins,
  type Histogram,
  jensenShannon,
  missingRows,
  numericRows,
  psi,
  type SetHistograms,
} from './psi.ts';

/** Maximum number of categories that a change names. */
const MAX_NAMES = 10;
/** Maximum length of such a name in characters. */
const MAX_NAME_LENGTH = 100;

/** Number of rows in each set. */
export interface SampleCounts {
  reference: number;
  current: number;
}

/** Categories of one set that the other does not have. */
export interface CategoryChange {
  count: number;
  /** The most frequent categories, at most 10, each cut at 100 characters. */
  names: string[];
}

/** Comparison of one feature, of the prediction or of the residual. */
export interface FeatureComparison {
  feature: string;
  /** PSI; may exceed 1. */
  score: number;
  /** Noise floor: PSI that chance alone exceeds in one of 1,000 checks. */
  noise: number;
  /** True if the score is above the noise floor, with at least 30 rows in each set. */
  significant: boolean;
  /** Jensen-Shannon distance, 0 to 1; 0 if a set has no rows. */
  jensenShannon: number;
  /** True if a set has rows, but none with a value. */
  noData: boolean;
  /** Share of the current rows with a category that the reference does not have. */
  newCategoryShare: number;
  /** Number of bins that are not empty in both sets. */
  binCount: number;
  /** `numeric` if either set has a number. */
  type: 'numeric' | 'categorical';
  rows: SampleCounts;
  /** Share of the rows without a value, 0 to 1; 0 for a set without rows. */
  missing: SampleCounts;
  /** Share of the rows with a value: 1 − `missing`; 0 for a set without rows. */
  coverage: SampleCounts;
  /** Categories of the current set alone. */
  newCategories: CategoryChange;
  /** Categories of the reference alone. */
  vanishedCategories: CategoryChange;
}

/** The histograms of one feature. */
export interface HistogramPair {
  reference: Histogram;
  current: Histogram;
}

export const EMPTY_HISTOGRAM: Histogram = { rows: 0, bins: [], categories: new Map() };

/** True for the prediction and the residual, which are no input features. */
export const isModelOutput = (name: string): boolean => name === PREDICTION || name === RESIDUAL;

/** Sort key: features by name, then the prediction, then the residual. */
const sortKey = (name: string): string => {
  if (name === PREDICTION) return '1';
  return name === RESIDUAL ? '2' : `0${name}`;
};

/** Compares all features of two sets with the same bin edges (contract 9). */
export function compareSets(reference: SetHistograms, current: SetHistograms): FeatureComparison[] {
  const names = [...new Set([...reference.features.keys(), ...current.features.keys()])];
  return names
    .sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
    .map((name) => compareFeature(name, pairOf(name, reference, current), names.length));
}

/** Returns how many comparisons a check makes. */
export const countComparisons = (reference: SetHistograms, current: SetHistograms): number =>
  new Set([...reference.features.keys(), ...current.features.keys()]).size;

/** Returns the histograms of one feature; a set that does not have it misses all of its values. */
export const pairOf = (name: string, reference: SetHistograms, current: SetHistograms): HistogramPair => ({
  reference: reference.features.get(name) ?? { ...EMPTY_HISTOGRAM, rows: reference.rows },
  current: current.features.get(name) ?? { ...EMPTY_HISTOGRAM, rows: current.rows },
});

/** Compares one feature. @param comparisons number of comparisons in the check, which raises the noise floor */
export function compareFeature(feature: string, pair: HistogramPair, comparisons: number): FeatureComparison {
  const { reference, current } = pair;
  const score = psi(reference, current);
  const noise = noiseFloor(reference, current, comparisons);
  return {
    feature,
    score,
    noise,
    significant: score > noise && reference.rows >= MIN_ROWS && current.rows >= MIN_ROWS,
    jensenShannon: jensenShannon(reference, current),
    noData: [reference, current].some((set) => set.rows > 0 && missingRows(set) === set.rows),
    newCategoryShare: newCategoryShare(reference, current),
    binCount: countBins(reference, current),
    type: isNumeric(feature, pair) ? 'numeric' : 'categorical',
    rows: { reference: reference.rows, current: current.rows },
    missing: { reference: missingShare(reference), current: missingShare(current) },
    coverage: { reference: coverageOf(reference), current: coverageOf(current) },
    newCategories: categoriesOnlyIn(current, reference),
    vanishedCategories: categoriesOnlyIn(reference, current),
  };
}

/** True if either set has a number; always for the prediction and the residual, which are numbers by definition. */
export const isNumeric = (feature: string, { reference, current }: HistogramPair): boolean =>
  isModelOutput(feature) || numericRows(reference) > 0 || numericRows(current) > 0;

const missingShare = (histogram: Histogram): number =>
  histogram.rows === 0 ? 0 : missingRows(histogram) / histogram.rows;

const coverageOf = (histogram: Histogram): number => (histogram.rows === 0 ? 0 : 1 - missingShare(histogram));

function newCategoryShare(reference: Histogram, current: Histogram): number {
  let rows = 0;
  for (const [name, count] of current.categories) if (!reference.categories.has(name)) rows += count;
  return rows === 0 ? 0 : rows / current.rows;
}

/** Finds the categories that only the first set has. Sorts only a few of them, because there may be 100,000. */
function categoriesOnlyIn(set: Histogram, other: Histogram): CategoryChange {
  const top: [name: string, count: number][] = [];
  let total = 0;
  for (const [name, count] of set.categories) {
    if (other.categories.has(name)) continue;
    total += 1;
    if (top.length === MAX_NAMES && count < (top.at(-1)?.[1] ?? 0)) continue;
    top.push([name, count]);
    top.sort(([a, aCount], [b, bCount]) => bCount - aCount || (a < b ? -1 : 1));
    if (top.length > MAX_NAMES) top.pop();
  }
  return { count: total, names: top.map(([name]) => cut(name)) };
}

/** Cuts by code points, so that a surrogate pair is not split. */
const cut = (name: string): string =>
  name.length <= MAX_NAME_LENGTH ? name : [...name].slice(0, MAX_NAME_LENGTH).join('');
