import type { OutboundClient } from '../../../outbound/outbound-client.ts';
import type { OutboundResult } from '../../../outbound/outbound-request.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Wait } from '../../../platform/wait.ts';
import { HOLD_MS, type Pacing } from './pacing.ts';
import { type CallOptions, ProviderError } from './provider.types.ts';
import { createRetries, type Setback } from './retries.ts';

/** Bytes of one answer: a page of 50 meetings of several hours each is a third of it. */
const MAX_BYTES = 64 * 1024 * 1024;
/** What the way out to the provider must let through: the body, and room for headers and framing. */
export const MAX_WIRE_BYTES = MAX_BYTES + 4 * 1024 * 1024;

/** Milliseconds for one request, from look-up to the last byte. */
const TIMEOUT = 30_000;
/** Milliseconds until it has to be under way: less than its turn is held for. */
const START_TIMEOUT = HOLD_MS - 2_000;
const USER_AGENT = 'engagement-connector/1';

export interface CallDeps {
  outbound: OutboundClient;
  pacing: Pacing;
  clock: Clock;
  wait: Wait;
  log: Logger;
}

/** Gives what an answer of status 200 says, or null when it is cut short. @throws ProviderError `bad_answer` */
type Reader<T> = (body: string) => T | null | Promise<T | null>;

/** What one try came to: the answer, or why it may be made again. */
type Outcome<T> = { value: T } | { setback: Setback; reason: string };

/** One request to the provider: paced, and tried again as contract 10 says. */
export function createCalls({ outbound, pacing, clock, wait, log }: CallDeps) {
  /** Sends the request once, when it is its turn. */
  async function send(apiKey: string, url: URL, signal?: AbortSignal): Promise<OutboundResult> {
    const turn = await pacing.turn(apiKey, signal);
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), START_TIMEOUT);
    try {
      const result = await outbound.send({
        url: url.href,
        method: 'GET',
        headers: {
          accept: 'application/json',
          authorization: `Bearer ${apiKey}`,
          'user-agent': USER_AGENT,
        },
        timeoutMs: TIMEOUT,
        maxResponseBytes: MAX_BYTES,
        keepResponseBytes: MAX_BYTES,
        signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
        onStart() {
          clearTimeout(timer);
          // A failure to pass the turn on comes out below, where it is waited for.
          void turn.pass().catch(() => {});
        },
      });
      return !result.ok && late.signal.aborted && !signal?.aborted ? { ...result, error: 'timeout' } : result;
    } finally {
      clearTimeout(timer);
      await turn.pass();
    }
  }

  async function attempt<T>(
    apiKey: string,
    url: URL,
    read: Reader<T>,
    signal?: AbortSignal,
  ): Promise<Outcome<T>> {
    const answer = await send(apiKey, url, signal);
    const broken = (reason: string, retryAfter?: string): Outcome<T> => ({
      setback: { kind: 'broken', retryAfter },
      reason,
    });
    if (!answer.ok) {
      if (answer.error === 'aborted') throw new ProviderError('cancelled', 'The call was given up.');
      return broken(answer.error);
    }
    const { status, headers, truncated, body } = answer;
    if (status === 401) throw new ProviderError('key_invalid', 'The provider does not accept the API key.');
    if (status === 429)
      return { setback: { kind: 'rate_limited', retryAfter: headers.retryAfter }, reason: 'status 429' };
    if (status >= 500) return broken(`status ${status}`, headers.retryAfter);
    if (status !== 200) throw new ProviderError('bad_answer', `The provider answered with status ${status}.`);
    if (truncated)
      throw new ProviderError('bad_answer', `The provider's answer is longer than ${MAX_BYTES} bytes.`);
    const value = await read(body);
    return value === null ? broken('an answer cut short') : { value };
  }

  /** Waits and requests, until there is an answer or no further try is due. */
  async function persist<T>(
    apiKey: string,
    url: URL,
    read: Reader<T>,
    { signal, onRateLimited }: CallOptions,
  ): Promise<T> {
    const retries = createRetries();
    for (;;) {
      const outcome = await attempt(apiKey, url, read, signal);
      if ('value' in outcome) return outcome.value;
      const { setback, reason } = outcome;
      const isRateLimited = setback.kind === 'rate_limited';
      if (isRateLimited) onRateLimited?.();
      const verdict = retries.after(setback, clock.now());
      if (!verdict.again) {
        throw isRateLimited
          ? new ProviderError('rate_limited', 'The provider keeps refusing requests (429).', verdict.until)
          : new ProviderError('unavailable', `The provider does not answer: ${reason}.`, verdict.until);
      }
      const { waitMs } = verdict;
      log.warn({ path: url.pathname, reason, waitMs }, 'the meeting provider is asked again');
      await wait(waitMs, signal);
    }
  }

  /**
   * Asks the provider.
   * @param url what to ask for, at the provider's own origin: the key goes there
   * @throws ProviderError
   */
  return async <T>(apiKey: string, url: URL, read: Reader<T>, options: CallOptions = {}): Promise<T> => {
    try {
      return await persist(apiKey, url, read, options);
    } catch (error) {
      if (error instanceof ProviderError || !options.signal?.aborted) throw error;
      throw new ProviderError('cancelled', 'The call was given up.');
    }
  };
}
