import mongoose from 'mongoose';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { startService } from '../../src/runtime/app.ts';
import { eventually } from '../support/app.ts';
import { freshDatabase } from '../support/databases.ts';
import { temporaryDir } from '../support/embedded.ts';

test('unlocks its prefetched jobs on stop, so that another process runs them at once', async () => {
  await using dir = await temporaryDir();
  const MONGODB_URI = freshDatabase();
  const config = loadConfig({ MONGODB_URI, DATA_DIR: dir.path, PORT: '0', LOG_LEVEL: 'silent' });
  const service = await startService({ config, log: createLogger('silent') });
  const connection = await mongoose.createConnection(MONGODB_URI).asPromise();
  try {
    const jobs = connection.collection('agendaJobs');
    const name = 'webhooks.retention';
    // Polls until shortly before the job is due.
    await eventually(async () => {
      await jobs.updateOne({ name, lockedAt: null }, { $set: { nextRunAt: new Date(Date.now() + 450) } });
      return jobs.findOne({
        name,
        lockedAt: { $type: 'date' },
        nextRunAt: { $gt: new Date(Date.now() + 200) },
      });
    });
    await service.stop();
    expect(await jobs.countDocuments()).toBeGreaterThan(0);
    expect(await jobs.find({ lockedAt: { $type: 'date' } }).toArray()).toEqual([]);
  } finally {
    await service.stop();
    await connection.close();
  }
});
