export const ALERT_SCOPES = ['overall', 'stage', 'feature'] as const;
export type AlertScope = (typeof ALERT_SCOPES)[number];

/** Score of a subject in one check: of all samples or a stage (`feature` is null), or of a feature. */
export interface SubjectReading {
  feature: string | null;
  score: number;
  threshold: number;
  /** True if there are too few rows: the reading neither detects nor clears. */
  insufficientData: boolean;
}

/** Stored state of a subject. A subject without one is not drifted. */
export interface SubjectState {
  feature: string | null;
  isDrifted: boolean;
  /** Number of consecutive checks that ask for the other state. */
  streak: number;
  /** Threshold of the latest of them. */
  threshold: number;
}

/** A check with the readings of its subjects: features first, then all samples or the stage. */
export interface CheckReadings {
  /** Null for a check of all samples. */
  stage: string | null;
  checkedAt: Date;
  /** Empty for a stage without samples. */
  readings: readonly SubjectReading[];
}
