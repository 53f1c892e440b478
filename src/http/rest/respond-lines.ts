import type { FastifyReply, FastifyRequest } from 'fastify';
import { toAppError } from '../../errors/to-app-error.ts';
import type { Logger } from '../../platform/logger.ts';
import type { StreamKeys } from '../access/stream-keys.ts';
import { logServerError } from '../request-log.ts';
import { respondStream } from '../response/response-stream.ts';

export const LINES_TYPE = 'application/x-ndjson';

interface Lines {
  /** Returns the text; called unless the request is for the headers only. */
  read(): Promise<AsyncIterableIterator<string>>;
  streamKeys: StreamKeys;
  log: Logger;
}

async function* noLines(): AsyncGenerator<string> {}

/**
 * Responds with JSON lines. An error behind the first one, which is logged, closes the connection; so does an end before
 * the last one: the response would otherwise look complete.
 */
export async function respondLines(
  request: FastifyRequest,
  reply: FastifyReply,
  { read, streamKeys, log }: Lines,
) {
  const { requestId, method, signal } = request.scope;
  const lines = method === 'HEAD' ? noLines() : await read();
  // Before the response begins, so that a failure still has a status. Only an iteration that has begun releases what it holds.
  let first: IteratorResult<string> | null = await lines.next();
  const parts: AsyncIterableIterator<string> = {
    [Symbol.asyncIterator]: () => parts,
    async next() {
      const result =
        first ??
        (await lines.next().catch((error: unknown) => {
          logServerError(toAppError(error), { requestId, log });
          throw error;
        }));
      first = null;
      if (result.done) signal.throwIfAborted();
      return result;
    },
    return: async () => (await lines.return?.()) ?? { done: true, value: undefined },
  };
  return respondStream(request, reply, { contentType: LINES_TYPE, parts, streamKeys });
}
