import mongoose from 'mongoose';
import { expect, type TestContext, test } from 'vitest';
import { type Child, startChild } from '../support/child-process.ts';
import { freshDatabase } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import { shiftedClock } from '../support/process.ts';

const LOCK_LIFETIME_MS = 10_000;
/** Longer than the start of a worker on a busy machine: a late run counts for the next scheduled time. */
const CRON_SECONDS = 30;

interface Run {
  pid: number;
  startedAt: Date;
  endedAt?: Date;
}

/** A database with workers that run one job, for one of the tests that run at the same time. */
async function newWorkers(
  { onTestFinished }: TestContext,
  { every, runMs = 0 }: { every: string; runMs?: number },
) {
  const uri = freshDatabase();
  const connection = await mongoose.createConnection(uri).asPromise();
  const workers: Child<never>[] = [];
  onTestFinished(async () => {
    await Promise.all(workers.map((worker) => worker.end('SIGKILL')));
    await connection.dropCollection('runs');
    await connection.close();
  });
  return {
    workers,
    /** Starts a worker whose clock is wrong by so much. */
    start(wrongByMs = 0): Child<never> {
      const worker = startChild<never>(new URL('../support/jobs-child.ts', import.meta.url).href, {
        args: [uri, every, String(runMs)],
        env: shiftedClock(wrongByMs),
      });
      workers.push(worker);
      return worker;
    },
    /** Returns true while no worker holds the lock of the job. */
    isIdle: async () => (await connection.collection('agendaJobs').countDocuments({ lockedAt: null })) === 1,
    runs: () => connection.collection<Run>('runs').find().sort({ startedAt: 1 }).toArray(),
  };
}

test.concurrent('a run of many intervals is the only one, and is taken over after a kill', async (context) => {
  const { workers, start, runs } = await newWorkers(context, {
    every: '1000',
    runMs: LOCK_LIFETIME_MS + 4_000,
  });
  start();
  start();
  await eventually(async () => {
    const all = await runs();
    expect(all.filter(({ endedAt }) => !endedAt).length).toBeLessThanOrEqual(1);
    return all.length === 2;
  }, 60_000);
  const [first, second] = (await runs()) as Run[] as [Run, Run];
  expect(second.startedAt.getTime()).toBeGreaterThanOrEqual(first.endedAt?.getTime() ?? Number.NaN);
  await workers.find(({ pid }) => pid === second.pid)?.end('SIGKILL');
  await eventually(async () => (await runs()).length === 3, LOCK_LIFETIME_MS + 5_000);
  expect((await runs())[2]?.pid).not.toBe(second.pid);
});

test.concurrent('a killed worker whose clock is an hour ahead does not delay the other workers', async (context) => {
  const { start, runs } = await newWorkers(context, { every: '1000' });
  const ahead = start(60 * 60_000);
  await eventually(async () => (await runs()).length >= 2, 60_000);
  await ahead.end('SIGKILL');
  const { pid } = start();
  await eventually(async () => (await runs()).some((run) => run.pid === pid), 60_000);
});

test.concurrent('workers whose clocks differ skip no scheduled time, and run none twice', async (context) => {
  const { start, runs, isIdle } = await newWorkers(context, { every: `*/${CRON_SECONDS} * * * * *` });
  for (const [index, wrongByMs] of [0, 400, 0].entries()) {
    const worker = start(wrongByMs);
    await eventually(async () => (await runs()).length > index && isIdle(), 90_000);
    await worker.end('SIGKILL');
  }
  const ticks = (await runs()).map(({ startedAt }) => Math.round(startedAt.getTime() / 1_000 / CRON_SECONDS));
  expect(ticks).toEqual([0, 1, 2].map((index) => (ticks[0] as number) + index));
}, 300_000);
