import { randomUUID } from 'node:crypto';
import { Agenda, type AgendaBackend, type Job } from 'agenda';
import { CronExpressionParser } from 'cron-parser';
import type { Clock } from '../platform/clock.ts';
import { holdLease } from '../platform/leases/lease.ts';
import type { Logger } from '../platform/logger.ts';
import { connectMongo } from '../platform/mongo/connect.ts';
import type { Outages } from '../platform/mongo/outages.ts';
import { JobRepository } from './job-repository.ts';
import type { RecurringJob } from './recurring-job.ts';

/** Time to live of a lock: after this, another process takes over the run of a dead one. */
const LOCK_LIFETIME_MS = 10_000;
/** Agenda starts a run at its exact time if the job is due before the next poll. */
const POLL_INTERVAL_MS = 1_000;
/** Time after which an overdue job is considered abandoned and is removed. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000;
/** Number of connections of the scheduler: its polls wait for each other, and not in the way of requests. */
const POOL_SIZE = 1;
/**
 * Interval of the heartbeats of the scheduler's client. The database reports a change of its members at once in any case,
 * and the service's own client detects outages.
 */
const HEARTBEAT_INTERVAL_MS = 5_000;
/**
 * How early a run of a cron expression may start without being scheduled for the same time again: the database's clock is
 * corrected by milliseconds, and two times of an expression are at least a second apart.
 */
const EARLY_START_MS = 500;

/** Agenda's message about a run whose lock was not renewed in time. */
const LOST_LOCK = /execution of '(.+)' canceled/;

interface JobsDeps {
  mongodbUri: string;
  outages: { writes: Pick<Outages['writes'], 'isOut'> };
  recurring: readonly RecurringJob[];
  /** The database's clock. */
  clock: Clock;
  log: Logger;
}

/** Creates the scheduler, which runs each recurring job in one worker at a time (ADR 12). */
export async function createJobs({ mongodbUri, outages, recurring, clock, log }: JobsDeps) {
  const connection = await connectMongo(mongodbUri, {
    maxPoolSize: POOL_SIZE,
    heartbeatIntervalMs: HEARTBEAT_INTERVAL_MS,
  });
  const repository = new JobRepository({ connection, outages, clock, log });
  const backend: AgendaBackend = {
    name: 'MongoDB',
    repository,
    ownsConnection: false,
    connect: () => repository.connect(),
    disconnect: async () => {},
  };
  const workerName = randomUUID();
  const agenda = new Agenda({
    name: workerName,
    backend,
    processEvery: POLL_INTERVAL_MS,
    defaultConcurrency: 1,
    defaultLockLimit: 1,
    defaultLockLifetime: LOCK_LIFETIME_MS,
  });
  agenda.on('error', (error: unknown) => {
    const job = LOST_LOCK.exec(String(error))?.[1];
    if (job === undefined) log.warn({ err: error }, 'scheduler error');
    else log.warn({ job }, 'lock of a job expired during its run, which continues: it was not renewed');
  });
  /** Runs in progress, by the name of their job. */
  const running = new Map<string, Promise<boolean>>();

  /** Returns the next time of a cron expression by the database's clock, as a time of this machine. */
  function nextOf(expression: string, after: Date): Date {
    const next = CronExpressionParser.parse(expression, { currentDate: after }).next().toDate();
    return new Date(next.getTime() - clock.now().getTime() + Date.now());
  }

  /** Runs a job. Returns true if there is more to do. */
  async function run({ name, run }: RecurringJob): Promise<boolean> {
    try {
      return (await run(repository.scheduledAt(name))) === true;
    } catch (error) {
      log.error({ err: error, job: name }, 'job failed');
      throw error;
    }
  }

  function define(recurringJob: RecurringJob): void {
    const { name, every, busyEvery } = recurringJob;
    agenda.define(name, async (job: Job) => {
      using _lock = holdLease({
        ttlMs: LOCK_LIFETIME_MS,
        renew: () => job.touch().then(() => true),
        onError: (error) => log.warn({ err: error, job: name }, 'failed to renew the lock of a job'),
      });
      if (typeof every === 'string')
        job.schedule(nextOf(every, new Date(clock.now().getTime() + EARLY_START_MS)));
      // A run that has lost its lock, as in an outage, continues: this process must not be in it twice.
      const current = running.get(name) ?? run(recurringJob).finally(() => running.delete(name));
      running.set(name, current);
      if ((await current) && busyEvery) job.schedule(new Date(Date.now() + busyEvery));
    });
  }

  return {
    async start(): Promise<void> {
      for (const job of recurring) define(job);
      await agenda.start();
      for (const { name, every } of recurring)
        await agenda.every(typeof every === 'number' ? `${every / 1000} seconds` : every, name);
      await repository.removeAbandoned({
        known: recurring.map(({ name }) => name),
        before: new Date(clock.now().getTime() - ABANDONED_AFTER_MS),
      });
    },

    /**
     * Starts no further runs, waits for the running ones, and releases the locks of the next runs: Agenda acquires
     * those in advance, and other processes would have to wait until they expire.
     */
    async stop(graceMs: number): Promise<void> {
      await agenda.drain({ timeout: graceMs });
      await repository.unlockAll(workerName);
      await connection.close();
    },
  };
}
