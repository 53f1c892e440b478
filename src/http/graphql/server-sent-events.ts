import type { ExecutionResult } from 'graphql';

/** Proxies close connections that are silent for longer than about a minute. */
const PING_MS = 12_000;
const PING = ':\n\n';
const COMPLETE = 'event: complete\ndata:\n\n';

const next = (result: unknown) => `event: next\ndata: ${JSON.stringify(result)}\n\n`;

/**
 * Results of a subscription as server-sent events: GraphQL over SSE, distinct connections mode. Starts with a comment,
 * so that the client gets to know the headers, and has one every 12 s. Never throws: an error is an event, and the last.
 *
 * `return()` ends it at once, also in the middle of waiting.
 * @param format what a result becomes before it is sent
 * @param formatFailure the result that stands for an error of the source itself
 */
export function eventStream(
  results: AsyncIterable<ExecutionResult>,
  format: (result: ExecutionResult) => unknown,
  formatFailure: (error: unknown) => unknown,
): AsyncIterableIterator<string> {
  const source = results[Symbol.asyncIterator]();
  const ended = Promise.withResolvers<'ended'>();
  let state: 'new' | 'open' | 'completing' | 'done' = 'new';
  let coming: Promise<IteratorResult<ExecutionResult>> | null = null;

  async function read(): Promise<string> {
    const ping = Promise.withResolvers<'ping'>();
    const timer = setTimeout(ping.resolve, PING_MS, 'ping');
    try {
      coming ??= source.next();
      const got = await Promise.race([coming, ping.promise, ended.promise]);
      if (got === 'ping') return PING;
      coming = null;
      if (got !== 'ended' && !got.done) return next(format(got.value));
    } catch (error) {
      state = 'completing';
      return next(formatFailure(error));
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
      state = 'done';
      ended.resolve('ended');
      // The source may be waiting for its next event: its end is not worth waiting for.
      source.return?.().catch(() => {});
      return { done: true, value: undefined };
    },
  };
}
