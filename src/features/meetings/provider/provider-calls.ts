import type { OutboundClient } from '../../../outbound/outbound-client.ts';
import type { OutboundResult } from '../../../outbound/outbound-request.ts';
import type { Wait } from '../../../platform/abortable-wait.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { EndpointClass } from './adapters/adapter.types.ts';
import { createCallRetries, type FailedAttempt } from './call-retries.ts';
import { type Pacing, START_TURN_TTL_MS } from './pacing.ts';
import { responseTooLarge } from './page-json.ts';
import { type CallOptions, ProviderError } from './provider.types.ts';
import { advisedDelayMs } from './rate-limit-headers.ts';

/** Largest response body: a page of 50 meetings of several hours each is a third of it. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** Largest response that the outbound client must admit: the body, headers and framing. */
export const MAX_WIRE_BYTES = MAX_BODY_BYTES + 4 * 1024 * 1024;

/** Timeout of one request, from the DNS lookup to the last byte. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Timeout for a request to start: shorter than the turn that it uses. */
const START_TIMEOUT_MS = START_TURN_TTL_MS - 2_000;
/** Delay by the pacing that is reported: shorter ones are normal. */
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
  /** At the provider's own origin: the request carries the key. */
  url: URL;
}

interface Call<T> extends Request {
  /** Parses the body of an HTTP 200; returns null when it is truncated. @throws ProviderError */
  parse: (body: string) => T | null | Promise<T | null>;
  /** Result of HTTP 404, which is an error otherwise. */
  absent?: T;
}

type Outcome<T> = { value: T } | { failed: FailedAttempt; reason: string };

const CANCELLED = 'The call was cancelled.';

/** Creates the function that calls the provider: paced, and retried as contract 10 specifies. */
export function createCalls({ outbound, pacing, clock, wait, log }: CallDeps) {
  /** Sends the request once, when the pacing admits it. */
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
