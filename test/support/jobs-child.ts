import { setTimeout as sleep } from 'node:timers/promises';
import { createJobs } from '../../src/jobs/jobs.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { connectMongo } from '../../src/platform/mongo/connect.ts';
import { createDatabaseClock } from '../../src/platform/mongo/database-clock.ts';
import { monitorOutages } from '../../src/platform/mongo/outages.ts';

/** A worker with one job, which records its runs in the collection `runs`: see `test/jobs/processes.test.ts`. */
const [uri = '', every = '', runMs = ''] = process.argv.slice(2);
const connection = await connectMongo(uri);
const log = createLogger(process.env.TEST_LOG_LEVEL ?? 'silent');
const clock = await createDatabaseClock(connection, log);
const runs = connection.collection('runs');

const jobs = await createJobs({
  mongodbUri: uri,
  outages: monitorOutages(connection, { primaryTimeoutMs: 4_500, log }),
  recurring: [
    {
      name: 'test.job',
      every: Number(every) || every,
      async run() {
        const { insertedId: _id } = await runs.insertOne({ pid: process.pid, startedAt: clock.now() });
        await sleep(Number(runMs));
        await runs.updateOne({ _id }, { $set: { endedAt: clock.now() } });
      },
    },
  ],
  clock,
  log,
});
process.on('disconnect', () => process.exit());
await jobs.start();
