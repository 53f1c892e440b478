import { expect, test } from 'vitest';
import { createKeyRequests } from '../../../src/limits/key-limits.ts';

const staysOpen = { onClose() {}, onEnd() {} };

test('requests beyond the limit of their key begin in the order of arrival, one for each that ends', async () => {
  const requests = createKeyRequests(2);
  const running = [await requests.begin('key', staysOpen), await requests.begin('key', staysOpen)];
  const begun: number[] = [];
  const waiting = [0, 1, 2, 3].map(async (number) => {
    const end = await requests.begin('key', staysOpen);
    begun.push(number);
    return end;
  });

  for (const [number, request] of waiting.entries()) {
    running.shift()?.();
    running.push(await request);
    expect(begun).toEqual([0, 1, 2, 3].slice(0, number + 1));
  }
});
