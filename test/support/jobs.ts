import { eventually, type TestApp } from './app.ts';

/** Makes a recurring job due now, whatever its interval, and waits until it has run. */
export async function runJob(app: TestApp, name: string): Promise<void> {
  const jobs = app.models.Delivery.db.collection('agendaJobs');
  let asked = new Date();
  // The end of a run that is in progress would overwrite the time of the next one.
  await eventually(async () => {
    asked = new Date();
    const filter = { name, type: 'single', lockedAt: null };
    return (await jobs.updateOne(filter, { $set: { nextRunAt: asked } })).matchedCount === 1;
  }, 25_000);
  await eventually(async () => jobs.findOne({ name, lastRunAt: { $gte: asked }, lockedAt: null }), 25_000);
}

/** Makes a recurring job run only when `runJob` asks for it, so that its own run does not come before what a test prepares. */
export async function holdJob(app: TestApp, name: string): Promise<void> {
  const jobs = app.models.Delivery.db.collection('agendaJobs');
  const filter = { name, type: 'single', lockedAt: null };
  await eventually(
    async () =>
      (await jobs.updateOne(filter, { $set: { nextRunAt: new Date(Date.now() + 3_600_000) } }))
        .matchedCount === 1,
    25_000,
  );
}
