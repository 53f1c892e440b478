import { CronExpressionParser } from 'cron-parser';
import type { Connection } from 'mongoose';
import type { Clock } from '../platform/clock.ts';
import { duplicateKeyOf } from '../platform/mongo/duplicate-key.ts';
import type { RecurringJob } from './recurring-job.ts';

/** Collection of the claimed ticks. */
export const TICKS_COLLECTION = 'jobTicks';

interface TickDoc {
  _id: string;
  /** Start of the latest claimed tick, as Unix time in milliseconds. */
  tick: number;
}

/** Returns the start of the tick that contains `now`, as Unix time in milliseconds. */
function tickOf(every: RecurringJob['every'], now: Date): number {
  if (typeof every === 'number') return Math.floor(now.getTime() / every) * every;
  // `prev` excludes its current date, and `now` may be the start of a tick.
  return CronExpressionParser.parse(every, { currentDate: new Date(now.getTime() + 1) })
    .prev()
    .getTime();
}

/** Creates the store of claimed ticks: Agenda may start a job twice, but only one run claims the tick. */
export function createTicks(connection: Connection, clock: Clock) {
  const ticks = connection.getClient().db(connection.name).collection<TickDoc>(TICKS_COLLECTION);
  return {
    /** Claims the current tick of a job; returns false if it is already claimed. */
    async claim({ name, every }: RecurringJob): Promise<boolean> {
      const tick = tickOf(every, clock.now());
      try {
        const { matchedCount, upsertedCount } = await ticks.updateOne(
          { _id: name, tick: { $lt: tick } },
          { $set: { tick } },
          { upsert: true },
        );
        return matchedCount + upsertedCount === 1;
      } catch (error) {
        // The upsert failed because the document exists with the same or a later tick.
        if (duplicateKeyOf(error) !== null) return false;
        throw error;
      }
    },
  };
}
