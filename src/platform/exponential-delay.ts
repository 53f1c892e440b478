/** Bounds of a delay that doubles. Milliseconds. */
interface DelayBounds {
  firstMs: number;
  maxMs: number;
}

/** Returns the delay before a retry, of which the first has the number 0; jitter is up to the caller. Milliseconds. */
export const exponentialDelayMs = ({ firstMs, maxMs }: DelayBounds, retry: number): number =>
  Math.min(firstMs * 2 ** retry, maxMs);
