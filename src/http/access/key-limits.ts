import { AppError } from '../../errors/app-error.ts';
import { createKeyedCounter } from '../../platform/keyed-counter.ts';
import type { Exchange } from '../exchange.ts';

/** Maximum number of subscriptions of one API key in this process (contract 4). */
const MAX_SUBSCRIPTIONS = 50;
/** Time after which a refused client may try again; requests usually complete sooner. */
const RETRY_AFTER_SECONDS = 1;

/** Limits the open items of each API key. */
function openPerKey(max: number, refusal: string) {
  const items = createKeyedCounter();
  return {
    /** Returns a function that closes the item. @throws AppError RATE_LIMITED */
    open(keyId: string): () => void {
      const close = items.open(keyId, max);
      if (!close) throw new AppError('RATE_LIMITED', refusal, { retryAfter: RETRY_AFTER_SECONDS });
      return close;
    },
  };
}

/**
 * Limits the requests of an API key that are in execution, from authentication until the response is complete, the
 * connection is closed or a stream begins.
 */
export function executionLimiter(max: number) {
  const requests = openPerKey(
    max,
    `More than ${max} requests with this API key are in execution; retry after one has completed.`,
  );
  /** @throws AppError RATE_LIMITED */
  return (exchange: Exchange, keyId: string): void => {
    exchange.endExecution = requests.open(keyId);
    exchange.onClose(exchange.endExecution);
  };
}

/** Limits the subscriptions of an API key, which are not requests in execution. */
export function subscriptionLimiter() {
  const subscriptions = openPerKey(
    MAX_SUBSCRIPTIONS,
    `More than ${MAX_SUBSCRIPTIONS} subscriptions with this API key are open; close one first.`,
  );
  /** @throws AppError RATE_LIMITED */
  return (exchange: Exchange, keyId: string): void => {
    exchange.onClose(subscriptions.open(keyId));
    exchange.endExecution?.();
  };
}
