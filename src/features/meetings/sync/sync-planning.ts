import { CronExpressionParser } from 'cron-parser';
import type { Schedule } from '../../../config.ts';
import type { ConnectionDoc } from '../connection/connection.model.ts';
import type { Owner } from '../meetings.types.ts';
import type { MeetingStore } from '../records/meetings.store.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** How far the first sync goes back (specification, "Limits"). */
const BACKFILL_MS = 90 * DAY_MS;
/** What comes late at the provider is still found. */
const OVERLAP_MS = DAY_MS;
/** So long a transcript is waited for (contract 10). */
const AWAITED_MS = 7 * DAY_MS;
/** A provider may take `since` for "after", and times for whole seconds. */
const INCLUSIVE_MS = 1_000;

const before = (at: Date, ms: number): Date => new Date(at.getTime() - ms);

/** When a sync starts by itself that is planned now; null: never. */
export function nextSync(schedule: Schedule | null, now: Date): Date | null {
  if (schedule === null) return null;
  if (typeof schedule === 'number') return new Date(now.getTime() + schedule);
  return CronExpressionParser.parse(schedule, { currentDate: now }).next().toDate();
}

/** From when on a sync that starts now asks for meetings. */
export async function sinceFor(
  owner: Owner,
  { lastSyncAt }: Pick<ConnectionDoc, 'lastSyncAt'>,
  meetings: MeetingStore,
  now: Date,
): Promise<Date> {
  if (lastSyncAt === null) return before(now, BACKFILL_MS);
  const since = before(lastSyncAt, OVERLAP_MS);
  const awaiting = await meetings.oldestAwaiting(owner, before(now, AWAITED_MS));
  return awaiting && awaiting.createdAt < since ? before(awaiting.createdAt, INCLUSIVE_MS) : since;
}
