import { expect, test } from 'vitest';
import { freshDatabase } from '../support/app.ts';
import { sharedDataDir, startProcess } from '../support/process.ts';
import { startSidecarStandIn } from '../support/sidecar.ts';

test('scheduled checks run once a tick, however many processes there are', async () => {
  const sidecar = await startSidecarStandIn();
  await using dataDir = await sharedDataDir();
  const mongodbUri = freshDatabase();
  const env = { ML_SIDECAR_URL: sidecar.url, DRIFT_CHECK_SCHEDULE: '1 second' };
  const processes = await Promise.all([1, 2].map(() => startProcess(dataDir.path, { mongodbUri, env })));
  const checks = () => sidecar.asked.filter((line) => line === 'POST /drift/check').length;
  const before = checks();
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  const made = checks() - before;
  await Promise.all(processes.map((process) => process.end('SIGTERM')));
  await sidecar.stop();
  expect(made).toBeGreaterThanOrEqual(7);
  // Ten seconds touch eleven ticks at most.
  expect(made).toBeLessThanOrEqual(11);
}, 60_000);
