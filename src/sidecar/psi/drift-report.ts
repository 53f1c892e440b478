import { MIN_ROWS } from '../../shared/drift-limits.ts';
import { PREDICTION, RESIDUAL } from '../samples/samples.types.ts';
import { type FeatureComparison, isModelOutput, type SampleCounts } from './compare-sets.ts';
import type { FeatureBin } from './feature-bins.ts';
import { rowsNeeded } from './noise-floor.ts';

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
type FeatureDetails = Omit<FeatureComparison, 'feature' | 'score'>;

/** Comparison of one feature, of the prediction or of the residual. */
export type FeatureScore = Pick<FeatureComparison, 'feature' | 'score'> &
  Partial<FeatureDetails> & {
    /** Bin with the largest contribution; absent if the sets are equal. */
    largestBin?: FeatureBin;
    /** Ids of some current rows in that bin; absent if there are none. */
    exampleIds?: string[];
    /** Stored with a check; read only from checks of an earlier version, which have no noise floor. */
    insufficientData?: true;
  };

/** A score under the settings. */
export interface FeatureDrift extends FeatureScore {
  /** True if the score is above the threshold and above the noise floor. */
  drifted: boolean;
  /**
   * Present if a set has fewer than 30 rows, or if the noise floor is above the threshold and the score is not above
   * the noise floor.
   */
  insufficientData?: true;
  /** Further rows that a verdict needs; 0 if there are enough. Absent in checks that an earlier version stored. */
  rowsNeeded?: number;
  /** Absent for the prediction and the residual. */
  weight?: number;
  /** Own threshold, or the general one. */
  threshold: number;
}

/** The parts of the drift score, each 0 to 1; null without enough rows. A score that is not significant counts as 0. */
export interface DriftComponents {
  /**
   * Weighted mean of `min(1, PSI)` over the input features; null also if none has a weight. If the features with most
   * of the weight have too few rows, the mean is a lower bound and null unless it is above the threshold.
   */
  features: number | null;
  prediction: number | null;
  /** Drift of the residual. */
  outcome: number | null;
}

/** What a component is based on. */
export interface ComponentDetails {
  /** `min(1, noise)`; of the input features the weighted mean. */
  noise: number;
  /** True if at least one score of the component is significant. */
  significant: boolean;
  /** True if a set has rows, but none with a value of any feature of the component. */
  noData: boolean;
  /** Further rows that a verdict needs; 0 if there are enough. */
  rowsNeeded: number;
  /** Share of the rows with a value; of the input features the weighted mean. */
  coverage: SampleCounts;
}

/** Details of each component; null if the component has no feature. */
type AllComponentDetails = Record<keyof DriftComponents, ComponentDetails | null>;

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
  /** Absent if an earlier version stored the check. */
  componentDetails?: AllComponentDetails;
  /** True if the model is not drifted, but a component has too few rows to tell. */
  insufficientData: boolean;
  rows?: SampleCounts;
  featureDrifts: FeatureDrift[];
}

/** Builds the report of scores under the settings (contract 9). */
export function applySettings({ rows, featureDrifts }: Comparison, settings: DriftSettings): DriftReport {
  const { threshold } = settings;
  const own = new Map(settings.features.map((setting) => [setting.feature, setting]));
  const drifts = featureDrifts.map((score) =>
    applySetting(score, own.get(score.feature), { threshold, comparisons: featureDrifts.length }),
  );
  const components = componentsOf(drifts, threshold);
  const values = Object.values(components);
  const driftScore = Math.max(0, ...values.filter((component) => component !== null));
  const isDrifted = driftScore > threshold;
  const lacksRows = Object.values(partsOf(drifts)).some(isInsufficient);
  const details = detailsOf(drifts);
  return {
    driftScore,
    isDrifted,
    threshold,
    components,
    ...(details ? { componentDetails: details } : {}),
    insufficientData: !isDrifted && (lacksRows || drifts.length === 0),
    ...(rows ? { rows } : {}),
    featureDrifts: drifts,
  };
}

interface CheckSettings {
  /** General threshold. */
  threshold: number;
  /** Number of comparisons in the check. */
  comparisons: number;
}

/** Judges one score under the settings of its feature and of the check. */
export function applySetting(
  { insufficientData: wasInsufficient, ...score }: FeatureScore,
  setting: FeatureSetting | undefined,
  check: CheckSettings,
): FeatureDrift {
  const threshold = setting?.threshold ?? check.threshold;
  const { noise, significant, binCount: bins = 0, rows } = score;
  const isKnown = noise !== undefined && rows !== undefined;
  const isInsufficient = isKnown ? !hasVerdict({ noise, significant, rows }, threshold) : wasInsufficient;
  const { comparisons } = check;
  return {
    ...score,
    drifted: !isInsufficient && significant !== false && score.score > threshold,
    ...(isInsufficient ? { insufficientData: true as const } : {}),
    ...(isKnown
      ? { rowsNeeded: isInsufficient ? rowsNeeded(rows, { bins, comparisons, threshold }) : 0 }
      : {}),
    ...(isModelOutput(score.feature) ? {} : { weight: setting?.weight ?? 1 }),
    threshold,
  };
}

/** True if the rows suffice: either the score is significant, or drift at the threshold would be. */
const hasVerdict = (
  { noise, significant, rows }: { noise: number; significant: boolean | undefined; rows: SampleCounts },
  threshold: number,
): boolean =>
  significant === true || (Math.min(rows.reference, rows.current) >= MIN_ROWS && noise <= threshold);

/** Returns the features of each component; only weighted input features count. */
const partsOf = (drifts: readonly FeatureDrift[]): Record<keyof DriftComponents, FeatureDrift[]> => ({
  features: drifts.filter(({ weight = 0 }) => weight > 0),
  prediction: drifts.filter(({ feature }) => feature === PREDICTION),
  outcome: drifts.filter(({ feature }) => feature === RESIDUAL),
});

const weightOf = (drifts: readonly FeatureDrift[]): number =>
  drifts.reduce((sum, { weight = 1 }) => sum + weight, 0);

/** Returns a weighted mean; the prediction and the residual are alone in their component. */
const meanOf = (drifts: readonly FeatureDrift[], value: (drift: FeatureDrift) => number): number =>
  drifts.reduce((sum, drift) => sum + (drift.weight ?? 1) * value(drift), 0) / weightOf(drifts);

/** True if features with more than half of the weight have too few rows. */
const isInsufficient = (drifts: readonly FeatureDrift[]): boolean =>
  weightOf(drifts.filter(({ insufficientData }) => insufficientData)) > weightOf(drifts) / 2;

function componentsOf(drifts: readonly FeatureDrift[], threshold: number): DriftComponents {
  const component = (part: readonly FeatureDrift[]): number | null => {
    if (part.length === 0) return null;
    const mean = meanOf(part, ({ score, significant, insufficientData }) =>
      insufficientData || significant === false ? 0 : Math.min(1, score),
    );
    return isInsufficient(part) && mean <= threshold ? null : mean;
  };
  const { features, prediction, outcome } = partsOf(drifts);
  return {
    features: component(features),
    prediction: component(prediction),
    outcome: component(outcome),
  };
}

/** Returns the details of each component; null if an earlier version stored the scores. */
function detailsOf(drifts: readonly FeatureDrift[]): AllComponentDetails | null {
  if (drifts.some(({ noise }) => noise === undefined)) return null;
  const details = (part: readonly FeatureDrift[]): ComponentDetails | null =>
    part.length === 0
      ? null
      : {
          noise: meanOf(part, ({ noise = 0 }) => Math.min(1, noise)),
          significant: part.some(({ significant }) => significant),
          noData: part.every(({ noData }) => noData),
          rowsNeeded: isInsufficient(part) ? Math.max(...part.map(({ rowsNeeded = 0 }) => rowsNeeded)) : 0,
          coverage: {
            reference: meanOf(part, ({ coverage }) => coverage?.reference ?? 0),
            current: meanOf(part, ({ coverage }) => coverage?.current ?? 0),
          },
        };
  const { features, prediction, outcome } = partsOf(drifts);
  return { features: details(features), prediction: details(prediction), outcome: details(outcome) };
}
