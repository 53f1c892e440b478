/** Something that is done again and again, in one worker at a time. */
export interface RecurringJob {
  /** `feature.what`; unique. */
  name: string;
  /** Milliseconds between two runs, or a cron expression. */
  every: number | string;
  /** Each tick of the schedule is claimed before it runs, for work that does not claim what it works on. */
  once?: boolean;
  run(): Promise<unknown>;
}
