import { MongoJobRepository } from '@agendajs/mongo-backend';
import type { JobParameters, JobRepositoryOptions } from 'agenda';
import type { Connection } from 'mongoose';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { coalesced } from '../platform/mongo/coalesced.ts';
import { duplicateKeyOf } from '../platform/mongo/duplicate-key.ts';
import type { Outages } from '../platform/mongo/outages.ts';
import { untilAvailable } from '../platform/mongo/until-available.ts';
import { JOBS_COLLECTION, type JobDoc } from './job-runs.ts';

interface Deps {
  connection: Connection;
  outages: { writes: Pick<Outages['writes'], 'isOut'> };
  /** The database's clock. */
  clock: Clock;
  log: Logger;
}

/** A poll for one job, as Agenda makes it: times by the clock of this machine. */
interface Poll {
  name: string;
  /** Locks the job if it is due by then. */
  until: Date;
  /** A lock that was renewed last before this time has expired. */
  lockDeadline: Date;
}

/**
 * Agenda's jobs in MongoDB. Stored times follow the database's clock, and only the holder of a lock writes a job; the
 * repository of Agenda's own backend does neither (ADR 12).
 */
export class JobRepository extends MongoJobRepository {
  readonly #deps: Deps;
  /** Names of the jobs that are being polled for. */
  readonly #polled = new Set<string>();
  /** Names of the jobs that this process has locked and not started. */
  readonly #starting = new Set<string>();
  /** Scheduled times of the jobs that this process has locked last, by name. */
  readonly #scheduled = new Map<string, Date>();
  /** Agenda polls for each job separately but at the same time, so one coalesced read finds the available ones. */
  readonly #isAvailable: (poll: Poll) => Promise<boolean>;

  constructor(deps: Deps) {
    const { connection } = deps;
    super({
      mongo: connection.getClient().db(connection.name) as never,
      db: { collection: JOBS_COLLECTION },
    });
    this.#deps = deps;
    this.#isAvailable = coalesced(async (polls) => {
      const filter = { $or: polls.map((poll) => this.#availableFor(poll)) };
      const available = await this.collection.find(filter, { projection: { name: 1 } }).toArray();
      return polls.map(({ name }) => available.some((job) => job.name === name));
    });
  }

  override async connect(): Promise<void> {
    await untilAvailable(async () => {
      await super.connect();
      // Processes that start at the same time create each job once.
      await this.collection.createIndex(
        { name: 1 },
        { unique: true, partialFilterExpression: { type: 'single' } },
      );
    });
  }

  /** Locks a job that is due before the next poll, or whose lock has expired. */
  override async getNextJobToRun(
    name: string,
    until: Date,
    lockDeadline: Date,
    _now: Date | undefined,
    options: JobRepositoryOptions | undefined,
  ): Promise<JobParameters | undefined> {
    // Agenda polls every second, whether the previous poll has ended or not.
    if (this.#polled.has(name) || this.#deps.outages.writes.isOut()) return undefined;
    this.#polled.add(name);
    try {
      if (!(await this.#isAvailable({ name, until, lockDeadline }))) return undefined;
      const now = this.#deps.clock.now();
      const locked = await super.getNextJobToRun(
        name,
        this.#inDatabaseTime(until),
        this.#inDatabaseTime(lockDeadline),
        now,
        options,
      );
      if (!locked) return undefined;
      this.#starting.add(name);
      const scheduledAt = locked.nextRunAt ?? now;
      this.#scheduled.set(name, scheduledAt);
      const nextRunAt = new Date(scheduledAt.getTime() - this.#aheadMs());
      return { ...locked, lockedAt: new Date(), nextRunAt };
    } finally {
      this.#polled.delete(name);
    }
  }

  /**
   * Writes the renewal of the lock of a run, or its end. The start of a run needs no write: its lock is at most as old as
   * the last poll. Until its end, a run keeps its scheduled time: if its process dies, another worker repeats it.
   *
   * @throws Error if another worker has taken over the job
   */
  override async saveJobState(job: JobParameters, options: JobRepositoryOptions | undefined): Promise<void> {
    const { name, data, lockedAt, lastFinishedAt, failedAt, failReason, failCount, nextRunAt } = job;
    const isStart = this.#starting.delete(name);
    if (isStart && lockedAt) return;
    const now = this.#deps.clock.now();
    const isFailed = failedAt !== undefined && failedAt === lastFinishedAt;
    const lastRunAt = this.#inDatabaseTime(job.lastRunAt ?? new Date());
    const running = { lockedAt: now, lastRunAt };
    const ended = {
      lockedAt: null,
      lastRunAt,
      nextRunAt: this.#inDatabaseTime(nextRunAt ?? new Date()),
      lastFinishedAt: now,
      ...(isFailed && { failedAt: now, failReason: failReason ?? null }),
      failCount: failCount ?? null,
    };
    const held = {
      name,
      type: 'single',
      lastModifiedBy: options?.lastModifiedBy ?? null,
      lockedAt: { $type: 'date' },
    } as const;
    const update = async (filter: object, $set: object): Promise<boolean> =>
      (await this.collection.updateOne({ ...held, ...filter }, { $set })).matchedCount === 1;
    const isHeld = await whileLocked(job, async () => {
      if (lockedAt) return update({}, running);
      const request = (data as JobDoc['data'])?.request ?? null;
      // A run that was requested meanwhile follows at once.
      return (await update({ 'data.request': request }, ended)) || update({}, { ...ended, nextRunAt: now });
    });
    if (!isHeld) throw new Error(`Another worker has taken over the job ${name}.`);
  }

  /** Writes the schedule of a job only if it is new or has changed; the lock of a run in progress stays. */
  override async saveJob<D>(job: JobParameters<D>): Promise<JobParameters<D>> {
    const { name, nextRunAt } = job;
    const repeatInterval = String(job.repeatInterval);
    await this.collection
      .updateOne(
        { name, type: 'single', repeatInterval: { $ne: repeatInterval } },
        {
          $set: { repeatInterval, nextRunAt: this.#inDatabaseTime(nextRunAt ?? new Date()) },
          $setOnInsert: { priority: 0, data: {}, lockedAt: null },
        },
        { upsert: true },
      )
      .catch((error: unknown) => {
        if (duplicateKeyOf(error) === null) throw error;
      });
    return job;
  }

  /** Returns the scheduled time of a job that this process has locked, as it is stored. */
  scheduledAt(name: string): Date {
    return this.#scheduled.get(name) ?? this.#deps.clock.now();
  }

  /** Agenda does not wait for it: a rejection would end the process. The lock expires. */
  override async unlockJob(job: JobParameters): Promise<void> {
    await super
      .unlockJob(job)
      .catch((error: unknown) => this.#deps.log.warn({ err: error }, 'failed to unlock a job'));
  }

  /** Releases all locks of a worker that stops. A lock that cannot be released expires. */
  async unlockAll(workerName: string): Promise<void> {
    const { outages, log } = this.#deps;
    if (outages.writes.isOut()) return;
    await this.collection
      .updateMany({ lastModifiedBy: workerName }, { $unset: { lockedAt: '' } })
      .catch((error: unknown) => log.warn({ err: error }, 'failed to unlock jobs'));
  }

  /**
   * Removes jobs that no process runs any more, and keeps those that only other processes are configured to run: they are
   * overdue or locked since `before` only. Agenda never starts a job that it does not know.
   *
   * @param options.known names of the jobs of this process
   */
  async removeAbandoned({ known, before }: { known: readonly string[]; before: Date }): Promise<void> {
    // In one command: a job that another worker takes up meanwhile stays.
    await this.collection.deleteMany({
      name: { $nin: [...known] },
      nextRunAt: { $lt: before },
      lockedAt: { $not: { $gte: before } },
    });
  }

  #availableFor({ name, until, lockDeadline }: Poll) {
    return {
      name,
      $or: [
        { lockedAt: null, nextRunAt: { $lte: this.#inDatabaseTime(until) } },
        { lockedAt: { $lte: this.#inDatabaseTime(lockDeadline) } },
      ],
    };
  }

  /** Returns by how much the database's clock is ahead of the clock of this machine, which Agenda uses. */
  #aheadMs(): number {
    return this.#deps.clock.now().getTime() - Date.now();
  }

  #inDatabaseTime(at: Date): Date {
    return new Date(at.getTime() + this.#aheadMs());
  }
}

/** Later than any time of a lock. */
const END_OF_TIME = new Date(8.64e15);

/**
 * Makes a write during which the lock of a job counts as held. Agenda looks at the same object every five seconds of a run,
 * and would report a run as cancelled while its end is being written.
 */
async function whileLocked<T>(job: JobParameters, write: () => Promise<T>): Promise<T> {
  if (job.lockedAt) return write();
  job.lockedAt = END_OF_TIME;
  return write().finally(() => {
    delete job.lockedAt;
  });
}
