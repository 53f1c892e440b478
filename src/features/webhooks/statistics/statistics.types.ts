/** Lengths of the time ranges for which results are counted. */
export const STATISTICS_STEPS = ['hour', 'day'] as const;
export type StatisticsStep = (typeof STATISTICS_STEPS)[number];

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

export const STEP_MS: Record<StatisticsStep, number> = { hour: HOUR_MS, day: DAY_MS };

/** How far back statistics reach, in days. */
export const REACH_DAYS: Record<StatisticsStep, number> = { hour: 30, day: 365 };

/** Time range without `since`. Milliseconds. */
export const DEFAULT_RANGE_MS: Record<StatisticsStep, number> = { hour: DAY_MS, day: 30 * DAY_MS };

/** Returns the start of the step that a time is in; days are in UTC. */
export const startOfStep = (at: Date, step: StatisticsStep): Date =>
  new Date(at.getTime() - (at.getTime() % STEP_MS[step]));

/** Quantiles in milliseconds; null without values. */
export interface LatencyQuantiles {
  p50: number | null;
  p95: number | null;
  p99: number | null;
}

/** Results of the attempts to an endpoint that began in a time range. The quantiles are of their durations. */
export interface StatisticsFigures extends LatencyQuantiles {
  /** Deliveries that an attempt made `succeeded`. */
  succeeded: number;
  /** Deliveries that an attempt made `failed`. */
  failed: number;
  attempts: number;
  failedAttempts: number;
  /** `succeeded` as a share of both outcomes; null without any. */
  successRate: number | null;
  acceptanceToArrival: LatencyQuantiles;
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
}

export interface StepStatistics extends StatisticsFigures {
  startsAt: Date;
}

export interface EndpointStatistics extends StatisticsFigures {
  endpointId: number;
  since: Date;
  until: Date;
  step: StatisticsStep;
  failingSince: Date | null;
  steps: StepStatistics[];
}

/** Result of an attempt, as it is counted. */
export interface CountedResult {
  /** Begin of the attempt. */
  at: Date;
  /** True if it got a 2xx. */
  succeeded: boolean;
  /** Status in which it ended the delivery; null if it did not. */
  finished: 'succeeded' | 'failed' | null;
  durationMs: number;
  /** Time from the acceptance of the event to the end of the attempt; null unless it counts as an arrival. */
  arrivalMs: number | null;
}
