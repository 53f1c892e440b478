import { expect, test } from 'vitest';
import {
  addToBatch,
  type Batch,
  encodePart,
  encodeTimes,
  GROUP_SIZE,
  IN_TITLE,
  withOccurrence,
} from '../../../src/features/meetings/search/postings.ts';
import { TIMES_BUCKET } from '../../../src/features/meetings/search/postings-documents.ts';
import { findMatches, type Rank } from '../../../src/features/meetings/search/ranked-search.ts';
import type { GroupParts } from '../../../src/features/meetings/search/search-index.store.ts';

const GROUPS = 32;
const COUNT = GROUPS * GROUP_SIZE;
const OFFSETS = Array.from({ length: GROUP_SIZE }, (_, offset) => offset);
/** An insertion of each match by a linear search takes many seconds. */
const MAX_PAUSE_MS = 1_000;

/** An index of meetings with the same title, each of which started after the one before. */
const index = {
  async *parts(_tenant: unknown, bucket: string): AsyncGenerator<GroupParts> {
    for (let group = 0; group < GROUPS; group += 1) {
      const batch: Batch = new Map();
      for (const offset of OFFSETS)
        addToBatch(batch, offset, new Map([['harbour', withOccurrence(undefined, IN_TITLE, 0)]]));
      const times = OFFSETS.map((offset) => ({ offset, startedAt: new Date(group * GROUP_SIZE + offset) }));
      const part = bucket === TIMES_BUCKET ? encodeTimes(times) : encodePart(batch.get(bucket) ?? new Map());
      yield { group, parts: [part] };
    }
  },
};

/** Returns the most CPU time that work takes before other requests have a turn. Milliseconds. */
async function longestPause(work: () => Promise<unknown>): Promise<number> {
  let [longest, latest] = [0, process.cpuUsage()];
  const measure = () => {
    longest = Math.max(longest, process.cpuUsage(latest).user / 1000);
    latest = process.cpuUsage();
  };
  const timer = setInterval(measure, 1);
  await work();
  measure();
  clearInterval(timer);
  return longest;
}

test('the best of many meetings with one score are found without delaying other requests', async () => {
  const found = await findMatches(index, { customerId: 1 }, { terms: ['harbour'], since: undefined });
  const limit = 12_928;
  const newest = Array.from({ length: limit + 100 }, (_, position) => COUNT - 1 - position);
  let best: Rank[] = [];
  const pauseMs = await longestPause(async () => {
    best = await found.best(limit, null);
  });
  expect(pauseMs).toBeLessThan(MAX_PAUSE_MS);
  expect(best.map(({ ordinal }) => ordinal)).toEqual(newest.slice(0, limit));
  const next = await found.best(100, best.at(-1) ?? null);
  expect(next.map(({ ordinal }) => ordinal)).toEqual(newest.slice(limit));
});
