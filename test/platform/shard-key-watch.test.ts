import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { expect, onTestFinished, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { freshDatabase } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import { sharedDataDir, startProcess } from '../support/process.ts';
import { readWatch, setWatch, type Watch } from '../support/sharding/watch-variable.ts';

/** Reports violations to a file of this test until it ends; returns a reader of the first one. */
function watch(keys?: Watch['keys']): () => Promise<unknown> {
  const ofFile = readWatch();
  if (!ofFile) throw new Error('The commands of tests are not watched.');
  const report = join(tmpdir(), `engagement-shard-key-watch-${process.pid}.jsonl`);
  setWatch({ report, keys: keys ?? ofFile.keys });
  onTestFinished(async () => {
    setWatch(ofFile);
    await rm(report, { force: true });
  });
  return () =>
    eventually(async () => {
      const [first = ''] = (await readFile(report, 'utf8')).split('\n');
      return JSON.parse(first);
    });
}

test('a command without the shard key of its collection is reported if it uses the connection of the service', async () => {
  const violation = watch();
  const app = await startApp();
  onTestFinished(() => app.stop());
  const ofService = mongoose.connections.filter(
    (connection) => connection.name === app.models.Conversation.db.name && connection.readyState === 1,
  );
  for (const connection of ofService)
    await connection.collection('conversations').findOne({ subject: 'Without a tenant' });
  expect(await violation()).toMatchObject({ collection: 'conversations', command: 'find' });
});

test('the commands of a process are watched as well, and the report names lines of the source', async () => {
  const violation = watch(new Map([['tenants', ['tenant']]]));
  await using dataDir = await sharedDataDir();
  const service = await startProcess(dataDir.path, { mongodbUri: freshDatabase() });
  try {
    expect(await violation()).toMatchObject({
      collection: 'tenants',
      missing: ['tenant'],
      from: expect.arrayContaining([expect.stringMatching(/\/src\/.*\.ts:\d+/)]),
    });
  } finally {
    await service.end('SIGTERM');
  }
});
