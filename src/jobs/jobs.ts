import { randomUUID } from 'node:crypto';
import { MongoBackend } from '@agendajs/mongo-backend';
import { Agenda } from 'agenda';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { connectMongo } from '../platform/mongo/connect.ts';
import { duplicateKeyOf } from '../platform/mongo/duplicate-key.ts';
import { holdLease } from '../platform/mongo/lease.ts';
import type { Outages } from '../platform/mongo/outages.ts';
import { JOBS_COLLECTION, jobCollection } from './job-runs.ts';
import type { RecurringJob } from './recurring-job.ts';
import { firstRun, runAfter } from './schedule.ts';

/** Time to live of a lock: after this, another process takes over the run of a dead one. */
const LOCK_LIFETIME_MS = 10_000;
/** Agenda starts a run at its exact time if the job is due before the next poll. */
const POLL_INTERVAL_MS = 1_000;
/** Time after which an overdue job is considered abandoned and is removed. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000;
/** Number of connections of the scheduler: its polls wait for each other, and not in the way of requests. */
const POOL_SIZE = 1;

interface JobsDeps {
  mongodbUri: string;
  outages: Pick<Outages, 'writes'>;
  recurring: readonly RecurringJob[];
  /** The database's clock. */
  clock: Clock;
  log: Logger;
}

/** A recurring job in this process. */
interface Scheduled {
  /** Time at which the job is, or was, due next: stored in the job when its run ends. */
  dueAt: Date;
  /** The run in progress. */
  run: Promise<void> | null;
}

/**
 * Creates the scheduler, which runs each recurring job in one worker at a time. A run keeps its scheduled time until it
 * ends, so that another worker repeats it after a crash.
 *
 * Agenda polls and locks. By itself it would use the clock of each machine, and write the state of a job without regard to
 * the lock's holder; the methods of its repository that are replaced here use the database's clock and write as the holder.
 */
export async function createJobs({ mongodbUri, outages, recurring, clock, log }: JobsDeps) {
  const connection = await connectMongo(mongodbUri, { maxPoolSize: POOL_SIZE });
  const db = connection.getClient().db(connection.name);
  const collection = jobCollection(connection);
  /** Agenda stores the name of the lock's holder in the job. */
  const workerName = randomUUID();
  const scheduled = new Map<string, Scheduled>();
  const backend = new MongoBackend({ mongo: db as never, collection: JOBS_COLLECTION, ensureIndex: true });
  const { repository } = backend;

  const unlockJob = repository.unlockJob.bind(repository);
  // Agenda does not await it: a broken connection would end the process. The lock expires.
  repository.unlockJob = (job) =>
    unlockJob(job).catch((error: unknown) => log.warn({ err: error }, 'failed to unlock a job'));

  const getNextJobToRun = repository.getNextJobToRun.bind(repository);
  const polled = new Set<string>();
  repository.getNextJobToRun = async (name, ...rest) => {
    // Agenda polls for each job every second, whether its previous poll has ended or not.
    if (polled.has(name) || outages.writes.isOut()) return undefined;
    polled.add(name);
    return lockNext(name, ...rest).finally(() => polled.delete(name));
  };

  const lockNext: typeof getNextJobToRun = async (name, nextScanAt, lockDeadline, _now, options) => {
    const now = clock.now();
    const aheadMs = now.getTime() - Date.now();
    const inDatabaseTime = (at: Date) => new Date(at.getTime() + aheadMs);
    const found = await getNextJobToRun(
      name,
      inDatabaseTime(nextScanAt),
      inDatabaseTime(lockDeadline),
      now,
      options,
    );
    if (!found) return undefined;
    const dueAt = found.nextRunAt ?? now;
    scheduled.set(name, { run: scheduled.get(name)?.run ?? null, dueAt });
    // Agenda compares these with the clock of this machine.
    return { ...found, lockedAt: new Date(), nextRunAt: new Date(dueAt.getTime() - aheadMs) };
  };

  const heldHere = (name: string) => ({
    name,
    type: 'single',
    lastModifiedBy: workerName,
    lockedAt: { $type: 'date' as const },
  });

  repository.saveJobState = async ({ name, lockedAt, lastFinishedAt, failedAt, failReason, failCount }) => {
    const now = clock.now();
    const isFailed = failedAt !== undefined && failedAt === lastFinishedAt;
    const started = { lockedAt: now, lastRunAt: now };
    const ended = {
      lockedAt: null,
      nextRunAt: scheduled.get(name)?.dueAt ?? now,
      lastFinishedAt: now,
      ...(isFailed && { failedAt: now, failReason: failReason ?? null }),
      failCount: failCount ?? null,
    };
    const { matchedCount } = await collection.updateOne(heldHere(name), { $set: lockedAt ? started : ended });
    if (matchedCount === 0) throw new Error(`Another worker has taken over the job ${name}.`);
  };

  const agenda = new Agenda({
    name: workerName,
    backend,
    processEvery: POLL_INTERVAL_MS,
    defaultConcurrency: 1,
    defaultLockLimit: 1,
    defaultLockLifetime: LOCK_LIFETIME_MS,
  });
  agenda.on('error', (error: unknown) => log.warn({ err: error }, 'scheduler error'));

  async function run(job: RecurringJob, state: Scheduled): Promise<void> {
    const startedAt = clock.now();
    const scheduledAt = state.dueAt;
    let isBusy = false;
    try {
      isBusy = (await job.run()) === true;
    } catch (error) {
      log.error({ err: error, job: job.name }, 'job failed');
      throw error;
    } finally {
      const dueAt = runAfter(job, { scheduledAt, startedAt, finishedAt: clock.now(), isBusy });
      scheduled.set(job.name, { dueAt, run: null });
    }
  }

  function define(job: RecurringJob): void {
    const { name } = job;
    agenda.define(name, async ({ attrs }) => {
      using _lock = holdLease({
        ttlMs: LOCK_LIFETIME_MS,
        async renew() {
          const renewed = await collection.updateOne(heldHere(name), { $set: { lockedAt: clock.now() } });
          if (renewed.matchedCount === 1) attrs.lockedAt = new Date();
          return renewed.matchedCount === 1;
        },
        onError: (error) => log.warn({ err: error, job: name }, 'failed to renew the lock of a job'),
      });
      const state = scheduled.get(name) ?? { dueAt: clock.now(), run: null };
      // A run that has lost its lock, as in an outage, continues: this process must not be in it twice.
      state.run ??= run(job, state);
      scheduled.set(name, state);
      await state.run;
    });
  }

  /**
   * Writes a job's schedule only if it is new or has changed. The unique index resolves races between processes that
   * start concurrently.
   */
  async function schedule(job: RecurringJob): Promise<void> {
    const { name, every } = job;
    const repeatInterval = typeof every === 'number' ? `${every / 1000} seconds` : every;
    await collection
      .updateOne(
        { name, type: 'single', repeatInterval: { $ne: repeatInterval } },
        {
          $set: { repeatInterval, nextRunAt: firstRun(job, clock.now()) },
          $setOnInsert: { priority: 0, data: {}, lockedAt: null },
        },
        { upsert: true },
      )
      .catch((error: unknown) => {
        if (duplicateKeyOf(error) === null) throw error;
      });
  }

  /**
   * Removes jobs that no process runs any more, and keeps those that only other processes are configured to run. Agenda
   * never starts a job that it does not know.
   */
  async function removeAbandoned(): Promise<void> {
    const names = recurring.map(({ name }) => name);
    const before = new Date(clock.now().getTime() - ABANDONED_AFTER_MS);
    await collection.deleteMany({ type: 'single', name: { $nin: names }, nextRunAt: { $lt: before } });
  }

  return {
    async start(): Promise<void> {
      await collection.createIndex(
        { name: 1 },
        { unique: true, partialFilterExpression: { type: 'single' } },
      );
      for (const job of recurring) define(job);
      await agenda.start();
      for (const job of recurring) await schedule(job);
      await removeAbandoned();
    },

    /**
     * Starts no further runs, waits for the running ones, and releases the locks of the next runs: Agenda acquires
     * those in advance, and other processes would have to wait until they expire.
     */
    async stop(graceMs: number): Promise<void> {
      await agenda.drain({ timeout: graceMs });
      if (!outages.writes.isOut())
        await collection.updateMany({ lastModifiedBy: workerName }, { $unset: { lockedAt: '' } });
      await connection.close();
    },
  };
}
