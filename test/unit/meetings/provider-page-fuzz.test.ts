import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

interface Result {
  /** CPU time that the parser takes for as many values as one meeting may have. */
  referenceMs: number;
  worstBlock: { page: string; blockMs: number };
  worstGrowth: { page: string; growthMib: number; sizeMib: number };
  outcomes: Record<string, number>;
}

test('no hostile page of a provider blocks the process for 250 ms, or grows it by 64 MiB beyond its texts', async () => {
  const fuzzer = fileURLToPath(import.meta.resolve('../../fuzz/provider-pages.ts'));
  const { stdout } = await promisify(execFile)(process.execPath, [fuzzer, '--seed', '7', '--pages', '42']);
  const { referenceMs, worstBlock, worstGrowth, outcomes } = JSON.parse(stdout) as Result;
  // A loaded machine takes longer for everything.
  expect(worstBlock.blockMs, worstBlock.page).toBeLessThan(Math.max(250, 4 * referenceMs));
  // What is kept of a page has at most twice the size of the page.
  expect(worstGrowth.growthMib - 2 * worstGrowth.sizeMib, worstGrowth.page).toBeLessThan(64);
  expect(Object.keys(outcomes).filter((outcome) => outcome.endsWith('too_large'))).not.toEqual([]);
});
