import { expect, test } from 'vitest';
import { advance, estimateOf, START_POSITION } from '../../../src/features/meetings/sync/sync-position.ts';
import type { SyncRunDoc } from '../../../src/features/meetings/sync/sync-runs.model.ts';

const day = (number: number) => new Date(Date.UTC(2026, 0, number));

/** Estimates a range from the 1st to before the 11th, started on the 31st and read in a minute up to `last`. */
function remainingAt(last: number): number | null {
  const createdAt = [day(1), day(last)];
  const position = advance(START_POSITION, { createdAt, durationMs: 60_000 });
  const range = { scope: 'range', since: day(1), until: day(11), startedAt: day(31) } as const;
  const run: Partial<SyncRunDoc> = { status: 'running', fetched: 2, ...range, position };
  return estimateOf(run as SyncRunDoc).estimatedRemainingSeconds;
}

test('a listing that is oldest first is estimated against the end of its range', () => {
  expect(remainingAt(6)).toBe(60);
});

test('a listing that goes on after the end of its range is estimated against the start of the sync', () => {
  expect(remainingAt(16)).toBe(60);
  expect(remainingAt(11)).toBe(120);
});
