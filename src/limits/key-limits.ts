import { AppError } from '../errors/app-error.ts';
import type { Exchange } from '../http/exchange.ts';
import type { ClientLimits } from './client-limits.ts';

/** Maximum number of subscriptions of one API key (contract 4). */
const MAX_SUBSCRIPTIONS = 50;
/** Time after which a refused client may try again; requests usually complete sooner. */
const RETRY_AFTER_SECONDS = 1;

const tooMany = (refusal: string) =>
  new AppError('RATE_LIMITED', refusal, { retryAfter: RETRY_AFTER_SECONDS });

/**
 * Limits the requests of an API key that are in execution, from authentication until the response is complete, the
 * connection is closed or a stream begins.
 */
export function executionLimiter(limits: ClientLimits, max: number) {
  const refusal = `More than ${max} requests with this API key are in execution; retry after one has completed.`;
  /** @throws AppError RATE_LIMITED */
  return async (exchange: Exchange, keyId: string): Promise<void> => {
    const end = await limits.open('request', keyId, max);
    if (!end) throw tooMany(refusal);
    exchange.endExecution = end;
    exchange.onClose(end);
  };
}

/** Limits the subscriptions of an API key, which are not requests in execution. */
export function subscriptionLimiter(limits: ClientLimits) {
  const refusal = `More than ${MAX_SUBSCRIPTIONS} subscriptions with this API key are open; close one first.`;
  /** @throws AppError RATE_LIMITED */
  return async (exchange: Exchange, keyId: string): Promise<void> => {
    const end = await limits.open('subscription', keyId, MAX_SUBSCRIPTIONS);
    if (!end) throw tooMany(refusal);
    exchange.onClose(end);
    exchange.endExecution?.();
  };
}
