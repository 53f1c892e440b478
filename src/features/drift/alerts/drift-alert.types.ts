import type { DriftBin, DriftComponents } from '../drift.types.ts';

export const ALERT_SCOPES = ['overall', 'stage', 'feature'] as const;
export type AlertScope = (typeof ALERT_SCOPES)[number];

/** What a check covers. */
export interface CheckScope {
  model: string;
  /** Null for all samples. */
  stage: string | null;
}

/** A feature that an alert is about. */
export interface AlertFeature {
  feature: string;
  score: number;
  threshold: number;
  /** Bin with the largest contribution; null if the sidecar does not report it. */
  bin: DriftBin | null;
  /** Ids of current rows in that bin. */
  exampleIds: string[];
}

type Component = keyof DriftComponents;

/** Score of a subject in one check: of all samples or a stage (`feature` is null), or of a feature. */
export interface SubjectReading {
  feature: string | null;
  score: number;
  threshold: number;
  /** True if there are too few rows: the reading neither detects nor clears. */
  insufficientData: boolean;
  /** True if the feature is muted: the reading can clear, but not detect. */
  muted?: boolean;
  /** Components of the score that are above the threshold; absent for a feature. */
  above?: readonly Component[];
  /** Components without enough rows; absent for a feature. */
  unknown?: readonly Component[];
  /** Features that explain the score, worst first. */
  features?: AlertFeature[];
}

/** Stored state of a subject. A subject without one is not drifted. */
export interface SubjectState {
  feature: string | null;
  isDrifted: boolean;
  /** Number of consecutive checks that ask for the other state. */
  streak: number;
  /** Threshold of the latest of them. */
  threshold: number;
  /** Components above the threshold in the latest check whose score was above it; absent for a feature. */
  above?: readonly Component[];
}

/** A check with the readings of its subjects: features first, then all samples or the stage. */
export interface CheckReadings extends CheckScope {
  checkedAt: Date;
  /** Scheduled time; undefined for a check that was requested. */
  tick: Date | undefined;
  /** Empty for a stage without samples. */
  readings: readonly SubjectReading[];
}

/** An operator's note that an alert is known. */
export interface Acknowledgement {
  note: string;
  /** Time after which reminders are sent again; null until the alert is cleared. */
  until: Date | null;
  at: Date;
}

export const ALERT_STATUSES = ['active', 'acknowledged', 'cleared'] as const;
export type AlertStatus = (typeof ALERT_STATUSES)[number];

/** One drift of a subject, from its detection until it is cleared. */
export interface DriftAlert extends CheckScope {
  id: string;
  feature: string | null;
  scope: AlertScope;
  status: AlertStatus;
  /** Time of the check that detected the drift. */
  since: Date;
  clearedAt: Date | null;
  /** Score of the check that detected the drift. */
  score: number;
  threshold: number;
  /** As of the check that detected the drift. */
  features: AlertFeature[];
  acknowledgement: Acknowledgement | null;
  /** Time of the latest reminder; null if there was none. */
  remindedAt: Date | null;
}

export interface AlertFilter {
  model: string;
  /** Alerts of this stage; of all samples and every stage if absent or null. */
  stage?: string | null;
  /** Alerts with this status; every status if absent or null. */
  status?: AlertStatus | null;
  limit: number;
}
