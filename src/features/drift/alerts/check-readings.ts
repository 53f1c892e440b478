import {
  type CompletedCheck,
  type DriftComponents,
  type FeatureDrift,
  MODEL_OUTPUTS,
} from '../drift.types.ts';
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
      // Above the threshold by chance alone: too few rows, even if the sidecar does not report it.
      insufficientData:
        drift.insufficientData ||
        (drift.significant === false && drift.score > (drift.threshold ?? threshold)),
      muted: muted.has(drift.feature),
      features: [toAlertFeature(drift)],
    })),
    {
      ...overallReading(check, { threshold, muted }),
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

/** Returns the components of the score without muted features: a component that is muted as a whole is absent. */
function unmutedComponents(
  { features: reported, prediction, outcome }: DriftComponents,
  featureDrifts: readonly FeatureDrift[],
  muted: ReadonlySet<string>,
): Partial<DriftComponents> {
  const inputs = featureDrifts.filter(({ feature }) => !isModelOutput(feature));
  const mutedInputs = inputs.filter(({ feature }) => muted.has(feature));
  const sum = (drifts: readonly FeatureDrift[], value: (drift: FeatureDrift) => number): number =>
    drifts.reduce((total, drift) => total + (drift.weight ?? 1) * value(drift), 0);
  const weight = sum(inputs, () => 1);
  const mutedMean = weight > 0 ? sum(mutedInputs, contributionOf) / weight : 0;
  const features = reported === null ? null : reported - mutedMean;
  const isMutedAsWhole = inputs.length > 0 && sum(mutedInputs, () => 1) === weight;
  return {
    ...((features !== null || !isMutedAsWhole) && { features }),
    ...(!muted.has('prediction') && { prediction }),
    ...(!muted.has('residual') && { outcome }),
  };
}

/**
 * Returns the reading of all samples or of a stage: the drift score with 0 for muted features, or as reported if none is
 * muted or the components are unknown. One component without enough rows, such as outcomes that arrive after the current
 * window, does not hide the others.
 */
function overallReading(
  { driftScore, components, featureDrifts, insufficientData }: CompletedCheck,
  { threshold, muted }: Pick<Options, 'threshold' | 'muted'>,
): SubjectReading {
  const subject = { feature: null, threshold };
  if (!components) return { ...subject, score: driftScore, insufficientData };
  const counted = Object.entries(unmutedComponents(components, featureDrifts, muted)) as [
    keyof DriftComponents,
    number | null,
  ][];
  const known = counted.flatMap(([name, value]) => (value === null ? [] : [{ name, value }]));
  const unknown = counted.flatMap(([name, value]) => (value === null ? [name] : []));
  const hasMuted = featureDrifts.some(({ feature }) => muted.has(feature));
  const lacksRows = Object.values(components).includes(null);
  return {
    ...subject,
    score: hasMuted ? Math.max(0, ...known.map(({ value }) => value)) : driftScore,
    insufficientData: lacksRows ? known.length === 0 && unknown.length > 0 : insufficientData,
    above: known.filter(({ value }) => value > threshold).map(({ name }) => name),
    unknown,
  };
}

/** Returns the drifted features, worst first; without any, the features that add to the score. */
function worstFeatures(drifts: readonly FeatureDrift[]): FeatureDrift[] {
  const drifted = drifts.filter((drift) => drift.drifted);
  const candidates = drifted.length > 0 ? drifted : drifts.filter((drift) => contributionOf(drift) > 0);
  return candidates.toSorted((a, b) => b.score - a.score).slice(0, MAX_ALERT_FEATURES);
}
