import { type CompletedCheck, type FeatureDrift, MODEL_OUTPUTS } from '../drift.types.ts';
import type { AlertFeature, SubjectReading } from './drift-alert.types.ts';

/** Maximum number of features that an alert names. */
const MAX_ALERT_FEATURES = 5;

interface Options {
  /** Null for a check of all samples. */
  stage: string | null;
  /** General threshold. */
  threshold: number;
  /** Names of the muted features. */
  muted: ReadonlySet<string>;
}

/**
 * Returns what a check means for alerts: a reading of all samples or of the stage, and one of each feature in a check
 * of all samples. A muted feature adds nothing.
 */
export function readingsOf(check: CompletedCheck, { stage, threshold, muted }: Options): SubjectReading[] {
  const toAlertFeature = (drift: FeatureDrift): AlertFeature => ({
    feature: drift.feature,
    score: drift.score,
    threshold: drift.threshold ?? threshold,
    bin: drift.largestBin,
    exampleIds: drift.exampleIds,
  });
  const features = stage === null ? check.featureDrifts : [];
  return [
    ...features.map((drift) => ({
      feature: drift.feature,
      score: drift.score,
      threshold: drift.threshold ?? threshold,
      insufficientData: drift.insufficientData,
      muted: muted.has(drift.feature),
      features: [toAlertFeature(drift)],
    })),
    {
      feature: null,
      score: scoreWithout(muted, check),
      threshold,
      insufficientData: check.insufficientData,
      features: worstFeatures(check.featureDrifts.filter(({ feature }) => !muted.has(feature))).map(
        toAlertFeature,
      ),
    },
  ];
}

/** Value of a feature in the score: 0 unless it has enough rows and is significant. */
const contributionOf = ({ score, significant, insufficientData }: FeatureDrift): number =>
  insufficientData || significant === false ? 0 : Math.min(1, score);

const isModelOutput = (feature: string): boolean => MODEL_OUTPUTS.includes(feature);

/** Returns the drift score with 0 for muted features; as reported if none is muted or the components are unknown. */
function scoreWithout(muted: ReadonlySet<string>, check: CompletedCheck): number {
  const { driftScore, components, featureDrifts } = check;
  if (!components || featureDrifts.every(({ feature }) => !muted.has(feature))) return driftScore;
  const inputs = featureDrifts.filter(({ feature }) => !isModelOutput(feature));
  const sum = (drifts: readonly FeatureDrift[], value: (drift: FeatureDrift) => number): number =>
    drifts.reduce((total, drift) => total + (drift.weight ?? 1) * value(drift), 0);
  const weight = sum(inputs, () => 1);
  const mutedMean =
    weight > 0
      ? sum(
          inputs.filter(({ feature }) => muted.has(feature)),
          contributionOf,
        ) / weight
      : 0;
  return Math.max(
    0,
    (components.features ?? 0) - mutedMean,
    muted.has('prediction') ? 0 : (components.prediction ?? 0),
    muted.has('residual') ? 0 : (components.outcome ?? 0),
  );
}

/** Returns the drifted features, worst first; without any, the features that add to the score. */
function worstFeatures(drifts: readonly FeatureDrift[]): FeatureDrift[] {
  const drifted = drifts.filter((drift) => drift.drifted);
  const candidates = drifted.length > 0 ? drifted : drifts.filter((drift) => contributionOf(drift) > 0);
  return candidates.toSorted((a, b) => b.score - a.score).slice(0, MAX_ALERT_FEATURES);
}
