import mongoose from 'mongoose';
import { expect, onTestFinished, test } from 'vitest';
import { startChild } from '../support/child-process.ts';
import { freshDatabase } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';

const RUNS = 5;

test('a run of a job costs two writes: the lock, and the end of the run', async () => {
  const uri = freshDatabase();
  const connection = await mongoose.createConnection(uri).asPromise();
  onTestFinished(() => connection.close());
  const { db } = connection;
  await db?.command({ profile: 2 });
  await using _worker = startChild<never>(new URL('../support/jobs-child.ts', import.meta.url).href, {
    args: [uri, '1000', '0'],
  });
  // Each run, from its lock to its end, as the database has logged the writes of jobs.
  const writes = async () => {
    const log = connection.collection<{ op: string; command: Record<string, unknown> }>('system.profile');
    const logged = await log.find({ ns: /\.agendaJobs$/, op: { $in: ['update', 'command'] } }).toArray();
    return logged.filter(({ op, command }) => op === 'update' || 'findAndModify' in command);
  };
  await eventually(async () => (await connection.collection('runs').countDocuments()) > RUNS, 30_000);
  await db?.command({ profile: 0 });
  const runs = await connection.collection('runs').countDocuments();
  // One write creates the job, and a further run may have begun.
  expect((await writes()).length).toBeLessThanOrEqual(1 + 2 * (runs + 1));
});
