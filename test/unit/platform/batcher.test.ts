import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createBatcher } from '../../../src/platform/batcher.ts';

test('items beyond a batch start in the parallel one, without a further item', async () => {
  const started: number[][] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const batcher = createBatcher<number>(
    async (batch) => {
      started.push(batch);
      await released;
    },
    { max: 2, parallel: 2 },
  );
  for (const item of [1, 2, 3, 4, 5]) batcher.add(item);
  await sleep(100);
  expect(started).toEqual([
    [1, 2],
    [3, 4],
  ]);
  expect(batcher.backlog()).toBe(1);
  release();
  await batcher.idle();
  expect(started.at(-1)).toEqual([5]);
});
