/** Numbers that look random and are the same every time (mulberry32). */
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
    /** One of the items, each as often as its weight says. */
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
  };
}

export type Random = ReturnType<typeof createRandom>;
