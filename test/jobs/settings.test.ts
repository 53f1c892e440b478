import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually, startApp, type TestApp } from '../support/app.ts';
import { freshDatabase } from '../support/databases.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

let mongodbUri: string;
let configured: TestApp;

beforeEach(async () => {
  mongodbUri = freshDatabase();
  configured = await startApp({
    MONGODB_URI: mongodbUri,
    RECORDER_API_URL: 'http://127.0.0.1:9',
    ML_SIDECAR_URL: 'http://127.0.0.1:9',
    DRIFT_CHECK_SCHEDULE: '1 second',
  });
});
afterEach(() => configured.stop());

const jobs = () => configured.models.Delivery.db.collection('agendaJobs');

test('a process without a job leaves it to other processes', async () => {
  const started = await startApp({ MONGODB_URI: mongodbUri, DRIFT_CHECK_SCHEDULE: 'off' });
  try {
    for (const name of ['meetings.sync', 'drift.check']) {
      const asked = new Date();
      await eventually(async () => jobs().findOne({ name, lastFinishedAt: { $gt: asked } }), 25_000);
    }
  } finally {
    await started.stop();
  }
});

test('a job that no process runs is removed after a day, unless another process has taken it up', async () => {
  const job = { type: 'single', repeatInterval: '1 second', lockedAt: null };
  const overdue = (ageMs: number) => new Date(Date.now() - ageMs);
  await jobs().insertMany([
    { ...job, name: 'former.job', nextRunAt: overdue(DAY_MS + 60_000) },
    { ...job, name: 'paused.job', nextRunAt: overdue(60_000) },
    { ...job, name: 'running.job', nextRunAt: overdue(DAY_MS + 60_000), lockedAt: new Date() },
    { ...job, name: 'former.run', nextRunAt: overdue(DAY_MS + 60_000), lockedAt: overdue(DAY_MS + 60_000) },
  ]);
  const started = await startApp({ MONGODB_URI: mongodbUri });
  try {
    const names = await jobs().distinct('name');
    expect(names).not.toContain('former.job');
    expect(names).not.toContain('former.run');
    expect(names).toEqual(
      expect.arrayContaining(['paused.job', 'running.job', 'meetings.sync', 'webhooks.claim']),
    );
    expect(await jobs().findOne({ name: 'paused.job' })).not.toHaveProperty('lastRunAt');
  } finally {
    await started.stop();
  }
});
