import { randomUUID } from 'node:crypto';
import type { Connection } from 'mongoose';

/** Collection of Agenda. */
export const JOBS_COLLECTION = 'agendaJobs';
/** Some job runs every few seconds: after this time without a run, no worker is running. Milliseconds. */
const OVERDUE_AFTER_MS = 30_000;

/** The fields of Agenda's documents that are used here. */
export interface JobDoc {
  name: string;
  type?: string;
  repeatInterval?: string;
  nextRunAt?: Date | null;
  /** Time at which a worker last acquired or renewed the lock; null or absent if none holds it. */
  lockedAt?: Date | null;
  /** Worker that acquired the lock last. */
  lastModifiedBy?: string;
  priority?: number;
  data?: {
    /** Token of the last request of a run. */
    request?: string;
  };
  lastRunAt?: Date | null;
  lastFinishedAt?: Date | null;
  failedAt?: Date | null;
  failReason?: string | null;
  failCount?: number | null;
}

const jobCollection = (connection: Connection) =>
  connection.getClient().db(connection.name).collection<JobDoc>(JOBS_COLLECTION);

/** Returns the end of the latest run of any job; null if none has run. */
export async function lastJobRun(connection: Connection): Promise<Date | null> {
  const [latest] = await jobCollection(connection)
    .find(
      { lastFinishedAt: { $type: 'date' } },
      { projection: { lastFinishedAt: 1 }, sort: { lastFinishedAt: -1 }, limit: 1 },
    )
    .toArray();
  return latest?.lastFinishedAt ?? null;
}

/** Returns the jobs whose latest run failed. */
export async function failedJobs(connection: Connection): Promise<{ name: string; reason: string }[]> {
  const jobs = await jobCollection(connection).find().toArray();
  return jobs.flatMap(({ name, failedAt, lastRunAt, failReason }) =>
    failedAt && lastRunAt && failedAt >= lastRunAt ? [{ name, reason: failReason ?? 'unknown reason' }] : [],
  );
}

/** Returns true if jobs should have run since `lastRunAt`. */
export const isOverdue = (lastRunAt: Date, now: Date): boolean =>
  now.getTime() - lastRunAt.getTime() > OVERDUE_AFTER_MS;

/**
 * Makes a recurring job due now, by the database's clock, for a worker of any process. A run in progress, which may have
 * looked for work already, is followed by another one.
 */
export async function requestRun(connection: Connection, name: string, now: Date): Promise<void> {
  await jobCollection(connection).updateOne(
    { name, type: 'single' },
    { $min: { nextRunAt: now }, $set: { 'data.request': randomUUID() } },
  );
}
