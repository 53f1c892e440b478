import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { REPORT_VARIABLE } from '../support/sharding/report-variable.ts';

test('a command without the shard key of its collection is reported if it uses the connection of the service', async () => {
  const reportOfFile = process.env[REPORT_VARIABLE];
  const report = join(tmpdir(), `engagement-shard-key-watch-${process.pid}.jsonl`);
  const app = await startApp();
  process.env[REPORT_VARIABLE] = report;
  try {
    const ofService = mongoose.connections.filter(
      (connection) => connection.name === app.models.Conversation.db.name && connection.readyState === 1,
    );
    for (const connection of ofService)
      await connection.collection('conversations').findOne({ subject: 'Without a tenant' });
    const text = await eventually(() => readFile(report, 'utf8').catch(() => null));
    expect(JSON.parse(text)).toMatchObject({ collection: 'conversations', command: 'find' });
  } finally {
    process.env[REPORT_VARIABLE] = reportOfFile;
    await app.stop();
    await rm(report, { force: true });
  }
});
