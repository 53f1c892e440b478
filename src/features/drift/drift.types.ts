import type { DriftReference } from '../../shared/drift-references.ts';

/** Fields that an ML sidecar may omit (contract 9) are null if it does. */

/** Outputs of the model that are compared like features: they have no weight, but their own component of the score. */
export const MODEL_OUTPUTS: readonly string[] = ['prediction', 'residual'];

/** Number of rows in each set. */
export interface SampleCounts {
  reference: number;
  current: number;
}

/** Share of each set, 0 to 1. */
export interface SampleShares {
  reference: number;
  current: number;
}

/** Components of the overall score, each 0 to 1; null if there are too few rows for it. */
export interface DriftComponents {
  /** Weighted mean over the input features. */
  features: number | null;
  prediction: number | null;
  /** Residual: difference of prediction and outcome. */
  outcome: number | null;
}

/** What a component of a score is based on. */
export interface ComponentDetail {
  /** From 0 to 1; of the input features the weighted mean. */
  noise: number;
  /** True if a score of the component is above its noise floor. */
  significant: boolean;
  /** True if a set has rows, but none with a value of any feature of the component. */
  noData: boolean | null;
  /** Further rows that a verdict needs. */
  rowsNeeded: number;
  /** Share of rows with a value; of the input features the weighted mean. */
  coverage: SampleShares;
}

/** Details of each component; null for a component without a feature. */
export interface DriftComponentDetails {
  features: ComponentDetail | null;
  prediction: ComponentDetail | null;
  outcome: ComponentDetail | null;
}

/** Strings that only one of the sets has. */
export interface CategoryChange {
  count: number;
  /** The most frequent categories. */
  names: string[];
}

export const FEATURE_TYPES = ['numeric', 'categorical'] as const;

/** Drift of one feature of the model from its reference. */
export interface FeatureDrift {
  feature: string;
  /** Population Stability Index: 0 = unchanged, no upper bound. */
  score: number;
  drifted: boolean;
  /** True if a set has too few rows; the feature is then not drifted. */
  insufficientData: boolean;
  type: (typeof FEATURE_TYPES)[number] | null;
  weight: number | null;
  threshold: number | null;
  rows: SampleCounts | null;
  missing: SampleShares | null;
  /** Score that chance alone can reach; a score that is not above it counts as 0. */
  noise: number | null;
  /** True if the score is above the noise floor. */
  significant: boolean | null;
  /** Rows that a verdict still lacks: in the current set, or in the smaller set if the reference is too small. */
  rowsNeeded: number | null;
  /** Share of rows with a value. */
  coverage: SampleShares | null;
  /** Jensen-Shannon distance, 0 to 1. */
  jensenShannon: number | null;
  /** True if a set has rows, but none with a value. */
  noData: boolean | null;
  /** Share of the current rows with a category that the reference does not have. */
  newCategoryShare: number | null;
  newCategories: CategoryChange | null;
  vanishedCategories: CategoryChange | null;
  /** Bin with the largest contribution; in checks only. */
  largestBin: DriftBin | null;
  /** Ids of some current rows in that bin. */
  exampleIds: string[];
}

/** Rows of a set in a bin. */
export interface BinCount {
  count: number;
  share: number;
}

/** A range of numbers (lower, upper], a category, or the missing values. */
export interface DriftBin {
  /** Null for an open end, and for a bin that is not a range. */
  lower: number | null;
  upper: number | null;
  category: string | null;
  missing: boolean;
  reference: BinCount;
  current: BinCount;
  /** Share of the feature's score. */
  contribution: number;
}

/** Categories without a bin of their own. */
export interface OtherCategories {
  count: number;
  contribution: number;
}

/** Drift of one feature with the histograms of both sets. */
export interface DriftFeature extends FeatureDrift {
  /** Largest contribution first. */
  bins: DriftBin[];
  /** Null if there are none. */
  otherCategories: OtherCategories | null;
  /** In units of the standard deviation of the reference; null for a feature without numbers. */
  wasserstein: number | null;
  /** Share of the current numbers outside the range of the reference. */
  outOfRange: number | null;
}

/** With what the service knows of the feature. */
export interface DriftFeatureDetail extends DriftFeature {
  /** Time of the check that detected the drift of the feature over all samples; null while there is none. */
  driftedSince: Date | null;
}

export interface ModelFilter {
  /** The default model if absent or null. */
  model?: string | null | undefined;
}

export interface StageFilter extends ModelFilter {
  /** Funnel stage; all samples or checks if absent or null. */
  stage?: string | null;
}

export interface CheckOptions extends StageFilter {
  /** Reference of the check; the sidecar's setting applies if absent or null. */
  reference?: DriftReference | null | undefined;
  /** End of the current window, to repeat a check of that time; a check of now if absent or null. */
  at?: Date | null | undefined;
}

export interface HistoryOptions extends StageFilter {
  /** Only checks of all samples. */
  overall?: boolean;
  /** Feature whose score is added to each check; none if absent or null. */
  feature?: string | null;
  limit: number;
}

/** Drift of the scoring model, as of the latest check of all samples or of a stage. */
export interface DriftStatus {
  /** Null for all samples. */
  stage: string | null;
  isDrifted: boolean;
  /** From 0 to 1. */
  driftScore: number;
  threshold: number;
  /** `psi`: Population Stability Index. */
  method: string;
  /** Time of the latest check; null if there was none. */
  lastChecked: Date | null;
  components: DriftComponents | null;
  componentDetails: DriftComponentDetails | null;
  insufficientData: boolean;
  rows: SampleCounts | null;
  reference: DriftReference | null;
  featureDrifts: FeatureDrift[];
}

/** A past check. */
export interface DriftCheck {
  id: string;
  driftScore: number;
  isDrifted: boolean;
  method: string;
  /** Funnel stage that was checked; null for a check of all samples. */
  stage: string | null;
  checkedAt: Date;
  components: DriftComponents | null;
  componentDetails: DriftComponentDetails | null;
  insufficientData: boolean;
  rows: SampleCounts | null;
  reference: DriftReference | null;
  /** Null unless a feature was requested, and for a check without it. */
  featureScore: number | null;
}

/** Result of a check that was requested. */
export interface DriftCheckResult {
  success: boolean;
  driftScore: number;
  isDrifted: boolean;
  threshold: number | null;
  components: DriftComponents | null;
  componentDetails: DriftComponentDetails | null;
  insufficientData: boolean;
  rows: SampleCounts | null;
  reference: DriftReference | null;
  /** End of the current window of a repeated check; null for a check of now. */
  at: Date | null;
}

/** A check with its features, as the sidecar reports it. */
export interface CompletedCheck extends DriftCheckResult {
  id: string | null;
  checkedAt: Date | null;
  featureDrifts: FeatureDrift[];
}

/** Performance of the model in one week; each measure from 0 to 1. */
export interface WeekPerformance {
  /** Monday, 0:00 UTC. */
  week: Date;
  rows: number;
  /** Number of rows with an outcome. */
  outcomes: number;
  calibrationError: number | null;
  auc: number | null;
  accuracy: number | null;
  estimatedAccuracy: number | null;
}

/** Performance of a model by week. */
export interface DriftPerformance {
  /** Null without rows, or if the sidecar does not report the performance. */
  isProbabilistic: boolean | null;
  weeks: WeekPerformance[];
}

/** A funnel stage that has samples. */
export interface DriftStage {
  stage: string;
  rows: SampleCounts;
}

/** Weight and threshold of a feature. */
export interface FeatureSetting {
  feature: string;
  weight: number;
  /** Null for the general threshold. */
  threshold: number | null;
}

/** Types of planned changes. */
export const CHANGE_TYPES = ['campaign', 'release', 'other'] as const;
