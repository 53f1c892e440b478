import { PREDICTION, RESIDUAL } from '../samples/samples.types.ts';
import { type Histogram, MIN_ROWS, psi, type SetHistograms } from './psi.ts';

/** Drift of one feature, of the prediction or of the residual. */
export interface FeatureDrift {
  feature: string;
  /** PSI; may exceed 1. */
  score: number;
  drifted: boolean;
  /** Present if a set has fewer than 30 rows; `drifted` is then false. */
  insufficientData?: true;
}

export interface DriftReport {
  /** Mean of `min(1, PSI)`, 0 to 1. */
  driftScore: number;
  isDrifted: boolean;
  featureDrifts: FeatureDrift[];
}

const EMPTY_HISTOGRAM: Histogram = { rows: 0, bins: [], categories: new Map() };

/** Sorts features by name, then the prediction, then the residual. */
const sortKey = (name: string): string => {
  if (name === PREDICTION) return '1';
  return name === RESIDUAL ? '2' : `0${name}`;
};

/** Compares two sets with the same bin edges (contract 9). */
export function compare(reference: SetHistograms, current: SetHistograms, threshold: number): DriftReport {
  const insufficient = reference.rows < MIN_ROWS || current.rows < MIN_ROWS;
  const names = [...new Set([...reference.features.keys(), ...current.features.keys()])].sort((a, b) =>
    sortKey(a) < sortKey(b) ? -1 : 1,
  );
  const scores = names.map((feature) => ({
    feature,
    score: psi(
      reference.features.get(feature) ?? { ...EMPTY_HISTOGRAM, rows: reference.rows },
      current.features.get(feature) ?? { ...EMPTY_HISTOGRAM, rows: current.rows },
    ),
    ...(insufficient ? { insufficientData: true as const } : {}),
  }));
  return applyThreshold(scores, threshold);
}

/** Builds the report of scores under a threshold. */
export function applyThreshold(
  scores: readonly Omit<FeatureDrift, 'drifted'>[],
  threshold: number,
): DriftReport {
  const counted = scores.filter(({ insufficientData }) => !insufficientData);
  const sum = counted.reduce((all, { score }) => all + Math.min(1, score), 0);
  const driftScore = counted.length > 0 ? sum / counted.length : 0;
  return {
    driftScore,
    isDrifted: driftScore > threshold,
    featureDrifts: scores.map(({ feature, score, insufficientData }) => ({
      feature,
      score,
      drifted: !insufficientData && score > threshold,
      ...(insufficientData ? { insufficientData } : {}),
    })),
  };
}
