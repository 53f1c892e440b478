import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createTimeSlice, mapInSlices } from '../../../src/platform/time-slice.ts';

function work(ms: number): void {
  const endsAt = performance.now() + ms;
  while (performance.now() < endsAt);
}

test('work yields to the event loop at first and after each time slice, and not in between', async () => {
  let turns = 0;
  let isRunning = true;
  const counting = (async () => {
    while (isRunning) {
      await setImmediate();
      turns += 1;
    }
  })();
  const yieldToRequests = createTimeSlice();
  await yieldToRequests();
  const first = turns;
  expect(first).toBeGreaterThan(0);
  for (let step = 0; step < 5; step += 1) await yieldToRequests();
  expect(turns).toBeLessThan(first + 5);
  for (let step = 0; step < 5; step += 1) {
    work(6);
    await yieldToRequests();
  }
  expect(turns).toBeGreaterThanOrEqual(first + 5);
  isRunning = false;
  await counting;
});

test('a list is mapped in order, and other work has its turn', async () => {
  let isTurn = false;
  const turn = setImmediate().then(() => {
    isTurn = true;
  });
  const turns = await mapInSlices([1, 2, 3], async (item) => {
    work(6);
    return { item, isTurn };
  });
  expect(turns.map(({ item }) => item)).toEqual([1, 2, 3]);
  expect(turns.at(-1)?.isTurn).toBe(true);
  await turn;
});
