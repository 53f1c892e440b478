/** Pseudorandom numbers (mulberry32): the same sequence for the same seed. */
export function createRandom(seed: number) {
  let state = seed;
  /** At least 0, less than 1. */
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (low: number, high: number): number => low + next() * (high - low);

  return {
    between,
    chance: (probability: number): boolean => next() < probability,
    pick<T>(items: readonly [T, ...T[]]): T {
      return items[Math.floor(next() * items.length)] ?? items[0];
    },
    /** Picks an item with a probability proportional to its weight. */
    weighted<T extends { weight: number }>(items: readonly [T, ...T[]]): T {
      let left = next() * items.reduce((sum, { weight }) => sum + weight, 0);
      for (const item of items) {
        left -= item.weight;
        if (left < 0) return item;
      }
      return items[0];
    },
    hex: (digits: number): string =>
      Array.from({ length: digits }, () => Math.floor(next() * 16).toString(16)).join(''),
    /** Returns a seed for a separate sequence: its draws do not shift this one. */
    seed: (): number => Math.floor(between(1, 2 ** 31)),
  };
}

export type Random = ReturnType<typeof createRandom>;
