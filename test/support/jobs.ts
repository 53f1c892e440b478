import { eventually, type TestApp } from './app.ts';

/** Makes a recurring job due now, whatever its interval, and waits until it has run. */
export async function runJob(app: TestApp, name: string): Promise<void> {
  const jobs = app.models.Delivery.db.collection('agendaJobs');
  const asked = new Date();
  await jobs.updateOne({ name, type: 'single' }, { $set: { nextRunAt: asked } });
  await eventually(async () => jobs.findOne({ name, lastRunAt: { $gte: asked }, lockedAt: null }), 25_000);
}
