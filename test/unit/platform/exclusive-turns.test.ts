import { expect, test } from 'vitest';
import { createTurns } from '../../../src/platform/commit/idempotency/exclusive-turns.ts';

test('a task that throws before it returns a promise rejects, and the next one has its turn', async () => {
  const inTurn = createTurns({ maxWaitMs: 5_000, timeout: () => new Error('timed out') });
  const failing = inTurn('key', () => {
    throw new RangeError('Maximum call stack size exceeded');
  });
  await expect(failing).rejects.toThrow(RangeError);
  expect(await inTurn('key', async () => 'done')).toBe('done');
});
