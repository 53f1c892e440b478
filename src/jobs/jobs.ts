import { randomUUID } from 'node:crypto';
import { MongoBackend } from '@agendajs/mongo-backend';
import { Agenda } from 'agenda';
import type { Connection } from 'mongoose';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { duplicateKeyOf } from '../platform/mongo/duplicate-key.ts';
import { JOBS_COLLECTION } from './job-runs.ts';
import { createTicks } from './job-ticks.store.ts';
import type { RecurringJob } from './recurring-job.ts';

/** Time after which another process takes over a run of a dead one. Runs are short: they work in batches. */
const LOCK_LIFETIME_MS = 10_000;
/** Agenda starts a run at its exact time if the job is due before the next poll. */
const POLL_INTERVAL_MS = 1_000;
/** Time after which an overdue job is considered abandoned and is removed. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000;

interface JobsDeps {
  connection: Connection;
  recurring: readonly RecurringJob[];
  clock: Clock;
  log: Logger;
}

/**
 * Creates the scheduler, which runs each recurring job in one worker at a time. Agenda only triggers the runs: each run
 * claims its work in other documents, so that a duplicate run does nothing.
 */
export function createJobs({ connection, recurring, clock, log }: JobsDeps) {
  const db = connection.getClient().db(connection.name);
  const collection = db.collection(JOBS_COLLECTION);
  const ticks = createTicks(connection, clock);
  /** Agenda stores the name of the lock's holder in the job. */
  const workerName = randomUUID();
  const backend = new MongoBackend({ mongo: db as never, collection: JOBS_COLLECTION, ensureIndex: true });
  const unlockJob = backend.repository.unlockJob.bind(backend.repository);
  // Agenda does not await it: a broken connection would end the process. The lock expires.
  backend.repository.unlockJob = (job) =>
    unlockJob(job).catch((error: unknown) => log.warn({ err: error }, 'failed to unlock a job'));
  const agenda = new Agenda({
    name: workerName,
    backend,
    processEvery: POLL_INTERVAL_MS,
    defaultConcurrency: 1,
    defaultLockLimit: 1,
    defaultLockLifetime: LOCK_LIFETIME_MS,
  });
  agenda.on('error', (error: unknown) => log.warn({ err: error }, 'scheduler error'));

  /**
   * Writes a job's schedule only if it is new or has changed, because `every` releases the lock of a running job. The
   * unique index resolves races between processes that start concurrently.
   */
  async function schedule({ name, every }: RecurringJob): Promise<void> {
    const interval = typeof every === 'number' ? `${every / 1000} seconds` : every;
    const existing = await collection.findOne(
      { name, type: 'single' },
      { projection: { repeatInterval: 1 } },
    );
    if (existing?.repeatInterval === interval) return;
    await agenda.every(interval, name).catch((error: unknown) => {
      if (duplicateKeyOf(error) === null) throw error;
    });
  }

  /**
   * Removes jobs that no process runs any more, and keeps those that only other processes are configured to run. Agenda
   * never starts a job that it does not know.
   */
  async function removeAbandoned(): Promise<void> {
    const names = recurring.map(({ name }) => name);
    const before = new Date(Date.now() - ABANDONED_AFTER_MS);
    await collection.deleteMany({ type: 'single', name: { $nin: names }, nextRunAt: { $lt: before } });
  }

  return {
    async start(): Promise<void> {
      await collection.createIndex(
        { name: 1 },
        { unique: true, partialFilterExpression: { type: 'single' } },
      );
      for (const job of recurring) {
        const { name } = job;
        agenda.define(name, async ({ attrs }) => {
          try {
            if (job.once && !(await ticks.claim(job))) return;
            const isBusy = (await job.run()) === true;
            if (isBusy && job.busyEvery) attrs.nextRunAt = new Date(Date.now() + job.busyEvery);
          } catch (error) {
            log.error({ err: error, job: name }, 'job failed');
            throw error;
          }
        });
      }
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
      await collection.updateMany({ lastModifiedBy: workerName }, { $unset: { lockedAt: '' } });
    },
  };
}
