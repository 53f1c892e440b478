import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { encodeRows } from '../../src/sidecar/samples/encode-rows.ts';
import { sampleStore } from '../../src/sidecar/samples/sample.store.ts';
import { createSampleWindow } from '../../src/sidecar/samples/sample-window.ts';
import { eventually } from '../support/eventually.ts';
import { type Row, startTestSidecar } from './support.ts';

test('the window is found although another process deletes expired blocks meanwhile', async () => {
  await using sidecar = await startTestSidecar();
  const store = sampleStore(sidecar.db);
  const window = () =>
    createSampleWindow({
      db: sidecar.db,
      store,
      window: { rows: 5, ms: null },
      referenceOf: () => 'fixed',
      clock: systemClock,
    });
  const [mine, theirs] = [window(), window()];
  const encoded = encodeRows([{ features: { age: 1 }, prediction: 1 }]);
  for (let round = 0; round < 10; round += 1) {
    for (let block = 0; block < 8; block += 1) await store.add('current', 'a', encoded);
    const deleting = theirs.partitions().then(theirs.deleteExpired);
    const finding: Promise<{ rows: number }[]>[] = [];
    for (let delay = 0; delay < 30; delay += 1) {
      finding.push(mine.partitions());
      await sleep(delay / 10);
    }
    await deleting;
    for (const [partition] of await Promise.all(finding)) expect(partition?.rows).toBe(5);
  }
});

test('features of expired rows no longer count towards the limit of features', async () => {
  await using sidecar = await startTestSidecar({ currentWindow: { rows: 2, ms: null } });
  const named = (from: number): Row[] =>
    [from, from + 200].map((first) => ({
      features: Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`f${first + index}`, index])),
      prediction: 0,
    }));
  const add = (rows: Row[]) => sidecar.request('POST', '/samples', { set: 'current', stage: 'a', rows });
  expect((await add(named(0))).status).toBe(200);
  expect((await add(named(400))).status).toBe(422);
  await sidecar.add('current', 'a', named(0).slice(1));
  await sidecar.add('current', 'a', named(0).slice(1));
  await eventually(async () => (await add(named(400).slice(1))).status === 200, 20_000);
  const { featureDrifts } = await sidecar.check();
  expect(featureDrifts).toHaveLength(402);
});
