import { CronExpressionParser } from 'cron-parser';
import type { Connection } from 'mongoose';
import type { Clock } from '../platform/clock.ts';
import { duplicateKeyOf } from '../platform/mongo/duplicate-key.ts';
import type { RecurringJob } from './recurring-job.ts';

interface TickDoc {
  _id: string;
  /** Start of the latest tick that was claimed, in milliseconds. */
  tick: number;
}

/** The tick of a schedule that a moment is in: when it began, in milliseconds. */
function tickOf(every: RecurringJob['every'], now: Date): number {
  if (typeof every === 'number') return Math.floor(now.getTime() / every) * every;
  // Just after the moment, so that one exactly on a tick is in it.
  return CronExpressionParser.parse(every, { currentDate: new Date(now.getTime() + 1) })
    .prev()
    .getTime();
}

/** Claims ticks in documents of our own: Agenda may start a job twice, but only one start gets the tick. */
export function createTicks(connection: Connection, clock: Clock) {
  const ticks = connection.getClient().db(connection.name).collection<TickDoc>('jobTicks');
  return {
    /** False when the tick was claimed before. */
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
        // The document is there, and its tick is not an older one.
        if (duplicateKeyOf(error) !== null) return false;
        throw error;
      }
    },
  };
}
