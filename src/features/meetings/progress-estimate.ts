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
export const remainingSeconds = (activeMs: number, share: number | null): number | null =>
  activeMs > 0 && share !== null && share > 0
    ? Math.ceil((activeMs / 1_000) * (1 / Math.min(1, share) - 1))
    : null;
