import { describe, expect, it } from 'vitest';
import { FOUND_SEEDS } from './found-seeds.ts';
import { simulate } from './simulate.ts';

/** Number of seeds in each run of the tests; `npm run simulate` runs others. */
const SEEDS = Number(process.env.SIMULATION_SEEDS ?? 200);
/** Seeds of one test, which has a time limit. */
const SEEDS_PER_TEST = 10;

async function findingsOf(seeds: readonly number[]): Promise<string[]> {
  const all: string[] = [];
  for (const seed of seeds)
    for (const finding of (await simulate(seed)).findings) all.push(`seed ${seed}: ${finding}`);
  return all;
}

describe('The simulated delivery engine', () => {
  it('repeats a run exactly', async () => {
    const [first, second] = [await simulate(7, { traces: true }), await simulate(7, { traces: true })];
    expect(first.trace.length).toBeGreaterThan(50);
    expect(second.trace).toEqual(first.trace);
  });

  it.each(Object.entries(FOUND_SEEDS))(
    'does not find that %s',
    { timeout: 120_000 },
    async (_fault, seeds) => {
      expect(await findingsOf(seeds)).toEqual([]);
    },
  );

  const firstSeeds = Array.from(
    { length: Math.ceil(SEEDS / SEEDS_PER_TEST) },
    (_, index) => index * SEEDS_PER_TEST + 1,
  );
  it.each(firstSeeds)('finds nothing in the seeds from %i on', { timeout: 120_000 }, async (first) => {
    const count = Math.min(SEEDS_PER_TEST, SEEDS + 1 - first);
    expect(await findingsOf(Array.from({ length: count }, (_, index) => first + index))).toEqual([]);
  });
});
