import type { OutboundClient } from '../../../outbound/outbound-client.ts';
import type { OutboundResult } from '../../../outbound/outbound-request.ts';
import type { Wait } from '../../../platform/abortable-wait.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/logger.ts';
import { parseRetryAfter } from '../../../platform/retry-after.ts';
import type { EndpointClass } from './adapters/adapter.types.ts';
import { type Pacing, START_TURN_TTL_MS } from './pacing.ts';
import { responseTooLarge } from './page-json.ts';
import { type CallOptions, ProviderError } from './provider.types.ts';
import { advisedDelayMs } from './rate-limit-headers.ts';

/** Delay before each retry; after the last one, the call fails (contract 10). */
const DELAYS_MS = [1_000, 2_000, 4_000, 8_000, 16_000];
/** Consecutive 429s after which the call fails. */
const MAX_RATE_LIMITED = 5;
/** Longest `Retry-After` that a call waits for. */
const MAX_WAIT_MS = 15 * 60_000;
/** Longest `Retry-After` that delays later syncs: a date far in the future is an error of the provider. */
const MAX_RETRY_AFTER_MS = 24 * 60 * 60_000;

/** A failed attempt that may be retried. */
export interface FailedAttempt {
  /** `rate_limited`: HTTP 429. `broken`: HTTP 5xx, a broken connection or a truncated body. */
  type: 'rate_limited' | 'broken';
  retryAfter: string | undefined;
}

export type RetryDecision =
  | { type: 'retry'; waitMs: number; reason: 'retry_after' | 'backoff' }
  /** `retryAfter`: when the provider accepts requests again, within a day; null if it did not say. */
  | { type: 'fail'; retryAfter: Date | null };

/**
 * Creates the retry policy of one call. A broken attempt resets the count of 429s, but not the reverse: a provider that
 * alternates between the two runs out of retries as well.
 */
export function createCallRetries() {
  let rateLimited = 0;
  let broken = 0;

  /** Returns undefined when exhausted. `Retry-After` replaces the delay after a 429, and can only extend it after a 5xx. */
  function delayMsOf(type: FailedAttempt['type'], retryAfterMs: number | undefined): number | undefined {
    if (type === 'rate_limited') {
      rateLimited += 1;
      const delayMs = rateLimited < MAX_RATE_LIMITED ? DELAYS_MS[rateLimited - 1] : undefined;
      return delayMs === undefined ? undefined : (retryAfterMs ?? delayMs);
    }
    rateLimited = 0;
    broken += 1;
    const delayMs = DELAYS_MS[broken - 1];
    return delayMs === undefined ? undefined : Math.max(delayMs, retryAfterMs ?? 0);
  }

  return {
    after({ type, retryAfter }: FailedAttempt, now: Date): RetryDecision {
      const retryAfterMs = parseRetryAfter(retryAfter, now) ?? undefined;
      const waitMs = delayMsOf(type, retryAfterMs);
      if (waitMs !== undefined && waitMs <= MAX_WAIT_MS)
        return { type: 'retry', waitMs, reason: waitMs === retryAfterMs ? 'retry_after' : 'backoff' };
      return {
        type: 'fail',
        retryAfter:
          retryAfterMs === undefined
            ? null
            : new Date(now.getTime() + Math.min(retryAfterMs, MAX_RETRY_AFTER_MS)),
      };
    },
  };
}

/** Three times a page of 50 meetings of several hours each. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** Limit for the outbound client: the body, headers and framing. */
export const MAX_WIRE_BYTES = MAX_BODY_BYTES + 4 * 1024 * 1024;

/** Timeout of one request, from the DNS lookup to the last byte. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Timeout for a request to start, shorter than its turn. */
const START_TIMEOUT_MS = START_TURN_TTL_MS - 2_000;
/** Shorter delays by the pacing are normal and not reported. */
const REPORTED_PACING_MS = 1_000;
const USER_AGENT = 'engagement-connector/1';

export interface CallDeps {
  outbound: OutboundClient;
  pacing: Pacing;
  clock: Clock;
  wait: Wait;
  log: Logger;
}

interface Request {
  apiKey: string;
  /** Headers that carry the key. */
  authentication: Record<string, string>;
  endpointClass: EndpointClass;
  /** Must have the provider's origin, because the request carries the key. */
  url: URL;
}

interface Call<T> extends Request {
  /** Parses the body of a 200; returns null if it is truncated. @throws ProviderError */
  parse: (body: string) => T | null | Promise<T | null>;
  /** Result of a 404; without it, a 404 is an error. */
  absent?: T;
}

type Outcome<T> = { value: T } | { failed: FailedAttempt; reason: string };

const CANCELLED = 'The call was cancelled.';

/** Creates the function that calls the provider: paced, with the retries of contract 10. */
export function createCalls({ outbound, pacing, clock, wait, log }: CallDeps) {
  /** Sends the request once, as soon as the pacing permits. */
  async function send(
    { apiKey, authentication, endpointClass, url }: Request,
    { signal, onWait, onRequest }: CallOptions,
  ): Promise<OutboundResult> {
    const askedAt = performance.now();
    const turn = await pacing.turn({ apiKey, endpointClass }, signal);
    const durationMs = Math.round(performance.now() - askedAt);
    if (durationMs >= REPORTED_PACING_MS) onWait?.({ reason: 'pacing', durationMs });
    onRequest?.();
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), START_TIMEOUT_MS);
    try {
      const result = await outbound.send({
        url: url.href,
        method: 'GET',
        headers: { ...authentication, accept: 'application/json', 'user-agent': USER_AGENT },
        timeoutMs: REQUEST_TIMEOUT_MS,
        maxResponseBytes: MAX_BODY_BYTES,
        keepResponseBytes: MAX_BODY_BYTES,
        signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
        onStart() {
          clearTimeout(timer);
          // `finally` awaits the same promise and throws its error.
          void turn.end().catch(() => {});
        },
      });
      if (result.ok)
        await pacing.slowDown({ apiKey, endpointClass }, advisedDelayMs(result.headers, clock.now()));
      return !result.ok && late.signal.aborted && !signal?.aborted ? { ...result, error: 'timeout' } : result;
    } finally {
      clearTimeout(timer);
      await turn.end();
    }
  }

  async function attempt<T>(
    { parse, absent, ...request }: Call<T>,
    options: CallOptions,
  ): Promise<Outcome<T>> {
    const response = await send(request, options);
    const broken = (reason: string, retryAfter?: string): Outcome<T> => ({
      failed: { type: 'broken', retryAfter },
      reason,
    });
    if (!response.ok) {
      if (response.error === 'aborted') throw new ProviderError('cancelled', CANCELLED);
      return broken(response.error);
    }
    const { status, headers, truncated, body } = response;
    if (status === 401) throw new ProviderError('key_invalid', 'The provider does not accept the API key.');
    if (status === 429)
      return { failed: { type: 'rate_limited', retryAfter: headers.retryAfter }, reason: 'HTTP 429' };
    if (status >= 500) return broken(`HTTP ${status}`, headers.retryAfter);
    if (status === 404 && absent !== undefined) return { value: absent };
    if (status !== 200) throw new ProviderError('bad_response', `The provider returned HTTP ${status}.`);
    if (truncated) throw responseTooLarge(MAX_BODY_BYTES, 'bytes');
    const value = await parse(body);
    return value === null ? broken('truncated response') : { value };
  }

  /** Attempts the call until it succeeds or its retries are exhausted. */
  async function callWithRetries<T>(call: Call<T>, options: CallOptions): Promise<T> {
    const { signal, onRateLimited, onAttemptFailed, onWait } = options;
    const retries = createCallRetries();
    for (;;) {
      const outcome = await attempt(call, options);
      if ('value' in outcome) return outcome.value;
      const { failed, reason } = outcome;
      const isRateLimited = failed.type === 'rate_limited';
      if (isRateLimited) onRateLimited?.();
      else onAttemptFailed?.(reason);
      const decision = retries.after(failed, clock.now());
      if (decision.type === 'fail') {
        const { retryAfter } = decision;
        throw isRateLimited
          ? new ProviderError('rate_limited', 'The provider keeps rate-limiting requests.', { retryAfter })
          : new ProviderError('unavailable', `The provider is unavailable: ${reason}.`, { retryAfter });
      }
      const { waitMs } = decision;
      onWait?.({ reason: decision.reason, durationMs: waitMs });
      log.warn({ path: call.url.pathname, reason, waitMs }, 'retrying a request to the meeting provider');
      await wait(waitMs, signal);
    }
  }

  /** @throws ProviderError */
  return async <T>(call: Call<T>, options: CallOptions = {}): Promise<T> => {
    try {
      return await callWithRetries(call, options);
    } catch (error) {
      if (error instanceof ProviderError || !options.signal?.aborted) throw error;
      throw new ProviderError('cancelled', CANCELLED);
    }
  };
}
