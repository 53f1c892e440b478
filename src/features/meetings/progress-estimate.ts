/** Work that has been done in the background. */
interface Work {
  /** Time spent on it, without pauses. */
  activeMs: number;
  done: number;
}

/** Returns the items per minute, with one decimal; null before any work. */
export const perMinute = ({ activeMs, done }: Work): number | null =>
  activeMs > 0 ? Math.round((done / activeMs) * 600_000) / 10 : null;

/**
 * Estimates the remaining time in seconds, if the rest proceeds as the work so far.
 *
 * @param share of the work that is done, from 0 to 1; null while unknown
 */
export function remainingSeconds(activeMs: number, share: number | null): number | null {
  if (activeMs <= 0 || share === null || share <= 0) return null;
  // Rounded first: a share such as 1/3 is not exact.
  const remainingMs = Math.round(activeMs * (1 / Math.min(1, share) - 1));
  return Math.ceil(remainingMs / 1_000);
}
