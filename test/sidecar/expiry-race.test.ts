import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { encodeRows } from '../../src/sidecar/samples/encode-rows.ts';
import { sampleStore } from '../../src/sidecar/samples/sample.store.ts';
import { createSampleWindow } from '../../src/sidecar/samples/sample-window.ts';
import { startTestSidecar } from './support.ts';

test('the window is found although another process deletes expired blocks meanwhile', async () => {
  await using sidecar = await startTestSidecar();
  const store = sampleStore(sidecar.db);
  const window = () =>
    createSampleWindow({
      db: sidecar.db,
      store,
      window: { rows: 5, ms: null },
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
}, 60_000);
