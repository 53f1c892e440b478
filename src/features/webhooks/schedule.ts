/** Scheduled attempts that a delivery gets; resends are outside of it (specification, "Limits"). */
export const MAX_ATTEMPTS = 5;
/** Attempts that are made one right after the other. */
export const INLINE_ATTEMPTS = 2;
/** Each delay is shifted by up to this share, so that what failed together does not come back together. */
const JITTER = 0.1;

/** Delays before attempts 3, 4 and 5, in milliseconds. */
export type RetryDelays = readonly [number, number, number];

/**
 * How long to wait after a failed attempt, in milliseconds; null when it was the last one.
 *
 * @param attempt number of the attempt that failed, from {@link INLINE_ATTEMPTS}
 * @param retryAfterMs what the receiver asked for; stretches the delay, to twice its length at most
 * @param random from 0 to 1
 */
export function retryDelay(
  attempt: number,
  delays: RetryDelays,
  retryAfterMs: number | null,
  random: number,
): number | null {
  const delay = delays[attempt - INLINE_ATTEMPTS];
  if (delay === undefined || attempt >= MAX_ATTEMPTS) return null;
  const stretched = Math.max(delay, Math.min(retryAfterMs ?? 0, 2 * delay));
  return Math.round(stretched * (1 + JITTER * (2 * random - 1)));
}

/** How long a claim holds: more than two attempts, so that only a dead process loses it; at most 30 s. */
export const leaseMs = (timeoutMs: number): number => Math.min(30_000, 2 * timeoutMs + 5_000);
