/**
 * Returns a copy in random order (Fisher–Yates shuffle).
 *
 * @param random returns a number from 0 (inclusive) to 1 (exclusive)
 */
export function shuffled<T>(items: T[], random: () => number): T[] {
  const copy = [...items];
  for (let i = copy.length - 1; i > 0; i -= 1) {
    const j = Math.floor(random() * (i + 1));
    [copy[i], copy[j]] = [copy[j] as T, copy[i] as T];
  }
  return copy;
}
