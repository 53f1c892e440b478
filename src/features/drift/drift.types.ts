/** Drift of one feature of the model from its reference. */
export interface FeatureDrift {
  feature: string;
  /** Population Stability Index: 0 = unchanged, no upper bound. */
  score: number;
  drifted: boolean;
}

/** Drift of the scoring model, as of the latest check. */
export interface DriftStatus {
  isDrifted: boolean;
  /** From 0 to 1. */
  driftScore: number;
  threshold: number;
  /** `psi`: Population Stability Index. */
  method: string;
  /** Time of the latest check; null if there was none. */
  lastChecked: Date | null;
  featureDrifts: FeatureDrift[];
}

export interface StageFilter {
  /** Funnel stage; all samples or checks if absent or null. */
  stage?: string | null;
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
}

/** Result of a check that was requested. */
export interface DriftCheckResult {
  success: boolean;
  driftScore: number;
  isDrifted: boolean;
}
