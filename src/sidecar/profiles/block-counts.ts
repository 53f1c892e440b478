import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Block } from '../samples/samples.types.ts';
import type { Scope } from './profile-scopes.ts';
import { type Distribution, distributionOf, releaseDistribution } from './value-distribution.ts';
import { ALL_VALUES, sameWindows, type Windows } from './value-windows.ts';

/** Counts of the numbers of one block, by feature and windows. */
export interface BlockCounts {
  /** Returns the counts of a feature with these windows; null if they were not counted. */
  of(feature: string, windows: Windows): Distribution | null;
  /** Frees the memory. */
  release(): void;
}

/**
 * Counts the numbers of a block for scopes, before it is added to their tallies: while the database stores the block.
 * Scopes with the same windows, such as a single stage and all samples, share the counts.
 */
export async function countBlock({ columns }: Block, scopes: readonly Scope[]): Promise<BlockCounts> {
  const counted = new Map<string, { windows: Windows; distribution: Distribution }[]>();
  for (const [name, { numbers }] of columns) {
    if (!numbers) continue;
    const entries: { windows: Windows; distribution: Distribution }[] = [];
    counted.set(name, entries);
    for (const scope of scopes) {
      const windows = scope.windows.get(name) ?? ALL_VALUES;
      if (entries.some((entry) => sameWindows(entry.windows, windows))) continue;
      entries.push({ windows, distribution: distributionOf(numbers, windows) });
    }
    await yieldToEventLoop();
  }
  return {
    of: (feature, windows) =>
      counted.get(feature)?.find((entry) => sameWindows(entry.windows, windows))?.distribution ?? null,
    release() {
      for (const entries of counted.values()) {
        for (const { distribution } of entries) releaseDistribution(distribution);
      }
    },
  };
}
