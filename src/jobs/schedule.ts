import { CronExpressionParser } from 'cron-parser';
import type { RecurringJob } from './recurring-job.ts';

type Schedule = Pick<RecurringJob, 'every' | 'busyEvery'>;

const nextOf = (expression: string, after: Date): Date =>
  CronExpressionParser.parse(expression, { currentDate: after }).next().toDate();

/** Returns the first scheduled time of a new job. */
export const firstRun = ({ every }: Schedule, now: Date): Date =>
  typeof every === 'number' ? now : nextOf(every, now);

interface FinishedRun {
  /** Time for which the run was scheduled. */
  scheduledAt: Date;
  startedAt: Date;
  finishedAt: Date;
  /** True if there is more to do. */
  isBusy: boolean;
}

/** Returns the scheduled time that follows a run. */
export function runAfter({ every, busyEvery }: Schedule, run: FinishedRun): Date {
  const { scheduledAt, startedAt, finishedAt, isBusy } = run;
  if (isBusy && busyEvery) return new Date(finishedAt.getTime() + busyEvery);
  if (typeof every === 'number') return new Date(startedAt.getTime() + every);
  // By a corrected clock, the run may have finished before its scheduled time, which must not follow itself.
  return nextOf(every, finishedAt > scheduledAt ? finishedAt : scheduledAt);
}
