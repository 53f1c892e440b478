interface Work {
  /** Time spent on it, without pauses. */
  activeMs: number;
  done: number;
}

/** Returns the items per minute, with one decimal; null before any work. */
export const perMinute = ({ activeMs, done }: Work): number | null =>
  activeMs > 0 ? Math.round((done / activeMs) * 600_000) / 10 : null;

/**
 * Estimates the remaining time in seconds, assuming the same speed as so far.
 *
 * @param share done so far, from 0 to 1; null while unknown
 */
export function remainingSeconds(activeMs: number, share: number | null): number | null {
  if (activeMs <= 0 || share === null || share <= 0) return null;
  // Rounded before the division: a share like 1/3 is not exact.
  const remainingMs = Math.round(activeMs * (1 / Math.min(1, share) - 1));
  return Math.ceil(remainingMs / 1_000);
}
