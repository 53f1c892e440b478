import { ApiError, ConnectionError } from '../errors.ts';

/** Statuses after which the same request can succeed: a limit, or a service or proxy that is unavailable for now. */
const RETRIED_STATUSES = [408, 429, 502, 503, 504];

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 8_000;
/** A longer `Retry-After` is left to the caller: waiting would look like a call that hangs. */
const MAX_RETRY_AFTER_SECONDS = 60;

/**
 * Returns the delay before retry number `retry`, from 0, in milliseconds; null if the error is not worth a retry. The
 * delay is half a second, doubled each time, and shortened by up to half at random, so that clients that failed
 * together do not return together. `Retry-After` is a minimum.
 */
export function retryDelayMs(error: unknown, retry: number): number | null {
  const isTemporary = error instanceof ConnectionError || (error instanceof ApiError && isRetried(error));
  if (!isTemporary) return null;
  const minimumSeconds = (error instanceof ApiError && error.retryAfterSeconds) || 0;
  if (minimumSeconds > MAX_RETRY_AFTER_SECONDS) return null;
  const backoffMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** retry) * (0.5 + Math.random() / 2);
  return Math.max(backoffMs, minimumSeconds * 1000);
}

/**
 * A 409 with `Retry-After` is a retry that overtook its first attempt, which is still in progress under the same key.
 */
const isRetried = ({ status, retryAfterSeconds }: ApiError): boolean =>
  RETRIED_STATUSES.includes(status) || (status === 409 && retryAfterSeconds !== null);

/** Waits; rejects with the reason of the signal when it is aborted. */
export function wait(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, delayMs);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
