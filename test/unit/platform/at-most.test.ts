import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { atMost } from '../../../src/platform/at-most.ts';

test('works on all items, in order and at most some at a time', async () => {
  const begun: number[] = [];
  let atOnce = 0;
  let most = 0;
  await atMost(3, [1, 2, 3, 4, 5, 6, 7], async (item) => {
    begun.push(item);
    atOnce += 1;
    most = Math.max(most, atOnce);
    await sleep(1);
    atOnce -= 1;
  });
  expect(begun).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(most).toBe(3);
});

test('begins no other item after an error, with which it rejects', async () => {
  const begun: number[] = [];
  const work = async (item: number): Promise<void> => {
    begun.push(item);
    await sleep(item);
    if (item === 2) throw new Error('the second');
  };
  await expect(atMost(2, [20, 2, 3, 4, 5], work)).rejects.toThrow('the second');
  await sleep(50);
  expect(begun).toEqual([20, 2]);
});
