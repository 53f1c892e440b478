import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requestRun } from '../../src/jobs/job-runs.ts';
import { createJobs } from '../../src/jobs/jobs.ts';
import type { RecurringJob } from '../../src/jobs/recurring-job.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { eventually } from '../support/app.ts';
import { startTestMongo, type TestMongo } from '../support/mongo.ts';

const JOBS = 'agendaJobs';

let mongo: TestMongo;
beforeAll(async () => {
  mongo = await startTestMongo({ failpoints: true });
});
afterAll(() => mongo.stop());

/** A scheduler with one job, and the lines that it logs. */
async function schedulerOf(job: RecurringJob) {
  const lines: unknown[] = [];
  const jobs = await createJobs({
    mongodbUri: mongo.uri,
    outages: { writes: { isOut: () => false } },
    recurring: [job],
    clock: systemClock,
    log: pino({ level: 'trace' }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
  });
  return { jobs, lines };
}

test('a start waits for the end of an election', async () => {
  // As in an election, the command fails and the driver does not repeat it.
  await mongo.failCommands({ commands: ['createIndexes'], collection: JOBS, times: 3 });
  let runs = 0;
  const { jobs } = await schedulerOf({
    name: 'test.short',
    every: 1_000,
    run: async () => {
      runs += 1;
    },
  });
  try {
    await jobs.start();
    await eventually(async () => runs > 0, 20_000);
  } finally {
    await jobs.stop(1_000);
  }
});

test('a run whose end takes long to write is not reported as cancelled', async () => {
  let runs = 0;
  const { jobs, lines } = await schedulerOf({
    name: 'test.long',
    every: 1_000,
    async run() {
      // Until shortly before Agenda checks the lock, which the write of the end outlasts.
      await sleep(4_500);
      runs += 1;
    },
  });
  try {
    await jobs.start();
    const failure = { blockConnection: true, blockTimeMS: 1_500 } as const;
    await mongo.failCommands({ commands: ['update'], collection: JOBS, failure });
    await eventually(async () => runs >= 3, 60_000);
    await sleep(2_000);
    expect(lines).toEqual([]);
  } finally {
    await mongo.failCommands('off');
    await jobs.stop(10_000);
  }
});

test('a run that is requested during a run follows it at once', async () => {
  const connection = await mongoose.createConnection(mongo.uri).asPromise();
  const requested: (() => void)[] = [];
  let runs = 0;
  const { jobs } = await schedulerOf({
    name: 'test.requested',
    every: 600_000,
    async run() {
      runs += 1;
      // As work that is stored when the run has looked for it already.
      if (runs === 1) await new Promise<void>((resolve) => requested.push(resolve));
    },
  });
  try {
    await jobs.start();
    await eventually(async () => requested.length > 0, 20_000);
    await requestRun(connection, 'test.requested', new Date());
    requested[0]?.();
    await eventually(async () => runs >= 2, 20_000);
    await sleep(2_500);
    expect(runs).toBe(2);
  } finally {
    await jobs.stop(1_000);
    await connection.close();
  }
});

test('a run that another worker repeats has the scheduled time of the first', async () => {
  const times: Date[] = [];
  const endless = Promise.withResolvers<void>();
  const job: RecurringJob = {
    name: 'test.repeated',
    every: 600_000,
    async run(scheduledAt) {
      times.push(scheduledAt);
      // As in a process that dies: the run has no end.
      if (times.length === 1) await endless.promise;
    },
  };
  const first = await schedulerOf(job);
  await first.jobs.start();
  await eventually(async () => times.length === 1, 20_000);
  await first.jobs.stop(0);
  const second = await schedulerOf(job);
  try {
    await second.jobs.start();
    await eventually(async () => times.length === 2, 20_000);
    expect(times[1]).toEqual(times[0]);
  } finally {
    await second.jobs.stop(1_000);
  }
});
