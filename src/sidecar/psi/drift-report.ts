import { PREDICTION, RESIDUAL } from '../samples/samples.types.ts';
import { type Histogram, MIN_ROWS, psi, type SetHistograms } from './psi.ts';

/** How far one feature, the prediction or the residual has moved. */
export interface FeatureDrift {
  feature: string;
  /** Its PSI; may exceed 1. */
  score: number;
  drifted: boolean;
  /** Only there when it is so: fewer than 30 rows in a set. Then it never counts as drifted. */
  insufficientData?: true;
}

export interface DriftReport {
  /** Mean of `min(1, PSI)`, 0 to 1. */
  driftScore: number;
  isDrifted: boolean;
  featureDrifts: FeatureDrift[];
}

const NOTHING: Histogram = { rows: 0, bins: [], categories: new Map() };

/** The features by name, then prediction and residual. */
const order = (name: string): string => {
  if (name === PREDICTION) return '1';
  return name === RESIDUAL ? '2' : `0${name}`;
};

/** Compares two sets, counted under the same edges, by contract 9's definition. */
export function compare(before: SetHistograms, now: SetHistograms, threshold: number): DriftReport {
  const insufficient = before.rows < MIN_ROWS || now.rows < MIN_ROWS;
  const names = [...new Set([...before.features.keys(), ...now.features.keys()])].sort((a, b) =>
    order(a) < order(b) ? -1 : 1,
  );
  const scores = names.map((feature) => ({
    feature,
    score: psi(
      before.features.get(feature) ?? { ...NOTHING, rows: before.rows },
      now.features.get(feature) ?? { ...NOTHING, rows: now.rows },
    ),
    ...(insufficient ? { insufficientData: true as const } : {}),
  }));
  return judge(scores, threshold);
}

/** What scores mean under a threshold. */
export function judge(scores: readonly Omit<FeatureDrift, 'drifted'>[], threshold: number): DriftReport {
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
