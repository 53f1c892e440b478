/** How far one input or output of the model has moved away from its reference. */
export interface FeatureDrift {
  feature: string;
  /** PSI; 0 when nothing has moved, and not bounded above. */
  score: number;
  drifted: boolean;
}

/** Whether the scoring model still fits reality. */
export interface DriftStatus {
  isDrifted: boolean;
  /** 0 to 1. */
  driftScore: number;
  threshold: number;
  /** `psi`: Population Stability Index. */
  method: string;
  /** Null: never checked. */
  lastChecked: Date | null;
  featureDrifts: FeatureDrift[];
}

/** A check that was made. */
export interface DriftCheck {
  id: string;
  driftScore: number;
  isDrifted: boolean;
  method: string;
  /** Funnel stage that it was limited to; null: overall. */
  stage: string | null;
  checkedAt: Date;
}

/** What a check that was just made has found. */
export interface DriftCheckResult {
  success: boolean;
  driftScore: number;
  isDrifted: boolean;
}
