/** A job that runs on a schedule, in one worker at a time. */
export interface RecurringJob {
  /** `feature.action`; unique. */
  name: string;
  /** Interval in milliseconds, or a cron expression. */
  every: number | string;
  /** Interval in milliseconds after a run that resolves with `true`: there is more to do. `every` by default. */
  busyEvery?: number;
  /** @param scheduledAt by the database's clock; the same when another worker repeats the run of a process that died */
  run(scheduledAt: Date): Promise<unknown>;
}

/** Makes a recurring job due now, for a worker of any process. */
export type RequestRun = (job: string) => Promise<void>;
