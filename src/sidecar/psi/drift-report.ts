import { PREDICTION, RESIDUAL } from '../samples/samples.types.ts';
import { type FeatureComparison, isModelOutput, type SampleCounts } from './compare-sets.ts';

/** Importance and threshold of one feature. */
export interface FeatureSetting {
  feature: string;
  /** Weight in the mean over the features, from 0 (excluded) to 1000. */
  weight: number;
  /** Null for the general threshold. */
  threshold: number | null;
}

/** The settings under which scores are judged. */
export interface DriftSettings {
  /** General threshold, `DRIFT_THRESHOLD`. */
  threshold: number;
  features: readonly FeatureSetting[];
}

/** Details of a feature. They are absent in checks that an earlier version stored. */
type FeatureDetails = Omit<FeatureComparison, 'feature' | 'score' | 'insufficientData'>;

/** Comparison of one feature, of the prediction or of the residual. */
export type FeatureScore = Pick<FeatureComparison, 'feature' | 'score' | 'insufficientData'> &
  Partial<FeatureDetails>;

/** A score under the settings. */
export interface FeatureDrift extends FeatureScore {
  /** False if a set has fewer than 30 rows. */
  drifted: boolean;
  /** Absent for the prediction and the residual. */
  weight?: number;
  /** Own threshold, or the general one. */
  threshold: number;
}

/** The parts of the drift score, each 0 to 1; null without enough rows. */
export interface DriftComponents {
  /** Weighted mean of `min(1, PSI)` over the input features; null also if none has a weight. */
  features: number | null;
  prediction: number | null;
  /** Drift of the residual. */
  outcome: number | null;
}

/** Scores of one comparison. `rows` is absent in checks that an earlier version stored. */
export interface Comparison {
  rows?: SampleCounts;
  featureDrifts: readonly FeatureScore[];
}

export interface DriftReport {
  /** The largest component, 0 to 1; 0 if all are null. */
  driftScore: number;
  isDrifted: boolean;
  threshold: number;
  components: DriftComponents;
  /** True if a set has fewer than 30 rows. */
  insufficientData: boolean;
  rows?: SampleCounts;
  featureDrifts: FeatureDrift[];
}

/** Builds the report of scores under the settings (contract 9). */
export function applySettings({ rows, featureDrifts }: Comparison, settings: DriftSettings): DriftReport {
  const { threshold } = settings;
  const own = new Map(settings.features.map((setting) => [setting.feature, setting]));
  const drifts = featureDrifts.map((score) => applySetting(score, own.get(score.feature), threshold));
  const components = componentsOf(drifts);
  const driftScore = Math.max(0, ...Object.values(components).filter((component) => component !== null));
  return {
    driftScore,
    isDrifted: driftScore > threshold,
    threshold,
    components,
    insufficientData: drifts.every(({ insufficientData }) => insufficientData),
    ...(rows ? { rows } : {}),
    featureDrifts: drifts,
  };
}

/** Judges one score under its setting and the general threshold. */
export function applySetting(
  score: FeatureScore,
  setting: FeatureSetting | undefined,
  generalThreshold: number,
): FeatureDrift {
  const threshold = setting?.threshold ?? generalThreshold;
  return {
    ...score,
    drifted: !score.insufficientData && score.score > threshold,
    ...(isModelOutput(score.feature) ? {} : { weight: setting?.weight ?? 1 }),
    threshold,
  };
}

function componentsOf(drifts: readonly FeatureDrift[]): DriftComponents {
  const counted = drifts.filter(({ insufficientData }) => !insufficientData);
  const capped = (name: string): number | null => {
    const found = counted.find(({ feature }) => feature === name);
    return found ? Math.min(1, found.score) : null;
  };
  let weights = 0;
  let sum = 0;
  for (const { weight = 0, score } of counted) {
    weights += weight;
    sum += weight * Math.min(1, score);
  }
  return {
    features: weights > 0 ? sum / weights : null,
    prediction: capped(PREDICTION),
    outcome: capped(RESIDUAL),
  };
}
