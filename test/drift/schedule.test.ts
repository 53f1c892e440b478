import { expect, test } from 'vitest';
import { eventually, freshDatabase } from '../support/app.ts';
import { sharedDataDir, startProcess } from '../support/process.ts';
import { startSidecarStandIn } from '../support/sidecar.ts';

test('scheduled checks run once per tick, whatever the number of processes', async () => {
  const sidecar = await startSidecarStandIn();
  await using dataDir = await sharedDataDir();
  const mongodbUri = freshDatabase();
  const env = { ML_SIDECAR_URL: sidecar.url, DRIFT_CHECK_SCHEDULE: '1 second' };
  const processes = await Promise.all([1, 2].map(() => startProcess(dataDir.path, { mongodbUri, env })));
  const checks = () => sidecar.asked.filter((line) => line === 'POST /drift/check').length;
  const before = checks();
  const startedAt = performance.now();
  await eventually(() => checks() - before >= 5, 20_000);
  const ticks = Math.floor((performance.now() - startedAt) / 1_000) + 1;
  const made = checks() - before;
  await Promise.all(processes.map((process) => process.end('SIGTERM')));
  await sidecar.stop();
  // One check per tick; with one per process there would be twice as many.
  expect(made).toBeLessThanOrEqual(ticks);
}, 60_000);
