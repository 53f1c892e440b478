import type { ExecutionResult } from 'graphql';

/** Ping interval; proxies close connections that are idle for about a minute. */
const PING_MS = 12_000;
const PING = ':\n\n';
const COMPLETE = 'event: complete\ndata:\n\n';

const nextEvent = (json: string, id: string | null) =>
  `${id === null ? '' : `id: ${id}\n`}event: next\ndata: ${json}\n\n`;

/** A result as the client receives it. */
export interface ServerSentResult {
  result: unknown;
  /** Id for `Last-Event-ID`; null if the client cannot resume after the event. */
  id: string | null;
}

/** Encodes the only result of an operation, as JSON, as server-sent events. */
export const completeEventStream = (json: string): string => nextEvent(json, null) + COMPLETE;

/**
 * Encodes the results of a subscription as server-sent events (GraphQL over SSE, distinct connections mode).
 * Yields a comment first, so that the client receives the headers, and one every 12 s as a ping.
 * Never throws: an error of the source is the last event before `complete`.
 *
 * `return()` ends the events immediately, even while `next()` is pending.
 * @param format formats a result for the client
 * @param formatFailure formats an error of the source as a result
 */
export function serverSentEvents(
  results: AsyncIterable<ExecutionResult>,
  format: (result: ExecutionResult) => ServerSentResult,
  formatFailure: (error: unknown) => unknown,
): AsyncIterableIterator<string> {
  const source = results[Symbol.asyncIterator]();
  const ended = Promise.withResolvers<'ended'>();
  let state: 'new' | 'open' | 'completing' | 'done' = 'new';
  /** Kept across pings; null if no result is awaited. */
  let pending: Promise<IteratorResult<ExecutionResult>> | null = null;

  async function read(): Promise<string> {
    const ping = Promise.withResolvers<'ping'>();
    const timer = setTimeout(ping.resolve, PING_MS, 'ping');
    try {
      pending ??= source.next();
      const first = await Promise.race([pending, ping.promise, ended.promise]);
      if (first === 'ping') return PING;
      pending = null;
      if (first !== 'ended' && !first.done) {
        const { result, id } = format(first.value);
        return nextEvent(JSON.stringify(result), id);
      }
    } catch (error) {
      state = 'completing';
      return nextEvent(JSON.stringify(formatFailure(error)), null);
    } finally {
      clearTimeout(timer);
    }
    state = 'done';
    return COMPLETE;
  }

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      if (state === 'done') return { done: true, value: undefined };
      if (state === 'new') {
        state = 'open';
        return { done: false, value: PING };
      }
      if (state === 'completing') {
        state = 'done';
        return { done: false, value: COMPLETE };
      }
      return { done: false, value: await read() };
    },
    async return() {
      if (state === 'done') return { done: true, value: undefined };
      state = 'done';
      ended.resolve('ended');
      // Not awaited: an async generator returns only after its pending event.
      source.return?.().catch(() => {});
      return { done: true, value: undefined };
    },
  };
}
