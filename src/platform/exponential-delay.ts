/** Bounds of a delay that doubles. Milliseconds. */
interface DelayBounds {
  firstMs: number;
  maxMs: number;
}

/** Returns the delay before a retry, counted from 0. Callers add jitter. Milliseconds. */
export const exponentialDelayMs = ({ firstMs, maxMs }: DelayBounds, retry: number): number =>
  Math.min(firstMs * 2 ** retry, maxMs);
