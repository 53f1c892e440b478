import { randomUUID } from 'node:crypto';
import { MongoBackend } from '@agendajs/mongo-backend';
import { Agenda } from 'agenda';
import type { Connection } from 'mongoose';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { duplicateKeyOf } from '../platform/mongo/duplicate-key.ts';
import type { RecurringJob } from './recurring-job.ts';
import { createTicks } from './ticks.ts';

const COLLECTION = 'agendaJobs';
/** A run whose process died is taken over after this long. Runs are short: they work in batches. */
const LOCK_LIFETIME_MS = 10_000;
const POLL_MS = 500;

/**
 * The clock: Agenda says when, in one of the workers. Truth is never in a job's document: each run claims what it
 * works on in documents of its own, so that a run that comes twice does nothing twice.
 */
export function createJobs(
  connection: Connection,
  recurring: readonly RecurringJob[],
  clock: Clock,
  log: Logger,
) {
  const db = connection.getClient().db(connection.name);
  const collection = db.collection(COLLECTION);
  const ticks = createTicks(connection, clock);
  /** Whoever has a job's lock is named in the job. */
  const me = randomUUID();
  const agenda = new Agenda({
    name: me,
    backend: new MongoBackend({ mongo: db as never, collection: COLLECTION, ensureIndex: true }),
    processEvery: POLL_MS,
    defaultConcurrency: 1,
    defaultLockLimit: 1,
    defaultLockLifetime: LOCK_LIFETIME_MS,
  });
  agenda.on('error', (error: unknown) => log.warn({ err: error }, 'the job clock has trouble'));

  /**
   * Writes a job's schedule only when it is new or has changed: `every` gives the lock of a running job away.
   * The unique index lets one of several racing starts win.
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

  return {
    async start(): Promise<void> {
      await collection.createIndex(
        { name: 1 },
        { unique: true, partialFilterExpression: { type: 'single' } },
      );
      for (const job of recurring) {
        const { name } = job;
        agenda.define(name, async () => {
          try {
            if (!job.once || (await ticks.claim(job))) await job.run();
          } catch (error) {
            log.error({ err: error, job: name }, 'job failed');
            throw error;
          }
        });
      }
      await agenda.start();
      for (const job of recurring) await schedule(job);
      const names = recurring.map(({ name }) => name);
      await collection.deleteMany({ type: 'single', name: { $nin: names } });
    },

    /**
     * Starts nothing more, waits for what runs, and gives up the locks of jobs that were to run next: Agenda locks
     * them some time ahead, and would leave them to run out while nobody else may go on.
     */
    async stop(graceMs: number): Promise<void> {
      await agenda.drain({ timeout: graceMs });
      await collection.updateMany({ lastModifiedBy: me }, { $unset: { lockedAt: '' } });
    },
  };
}

/** When any worker last ran any job; null: never. */
export async function lastJobRun(connection: Connection): Promise<Date | null> {
  const [latest] = await connection
    .getClient()
    .db(connection.name)
    .collection(COLLECTION)
    .find(
      { lastFinishedAt: { $type: 'date' } },
      { projection: { lastFinishedAt: 1 }, sort: { lastFinishedAt: -1 }, limit: 1 },
    )
    .toArray();
  return (latest?.lastFinishedAt as Date | undefined) ?? null;
}
