import { addAbortListener } from 'node:events';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { StreamKeys } from '../access/stream-keys.ts';
import { DATA_HEADERS } from './security-headers.ts';

interface StreamedResponse {
  contentType: string;
  /** `return()` ends them, also while `next()` is pending. */
  parts: AsyncIterableIterator<string>;
  streamKeys: StreamKeys;
  /** Called before the first part. @throws AppError that refuses the stream */
  admit?: () => void;
}

/**
 * Responds with a stream. It ends when the client disconnects, when the key or session of the request is no longer active,
 * and when the server stops. A HEAD request receives the headers only.
 *
 * @throws AppError UNAUTHENTICATED if the key was revoked before the stream watched for its revocation
 */
export async function respondStream(
  { scope, caller }: FastifyRequest,
  reply: FastifyReply,
  { contentType, parts, streamKeys, admit }: StreamedResponse,
): Promise<Readable> {
  const { principal, recheck, sessionLeftMs, endExecution } = caller;
  // Disables response buffering in nginx and compatible proxies.
  const headers = { ...DATA_HEADERS, 'content-type': contentType, 'x-accel-buffering': 'no' };
  addAbortListener(scope.signal, () => void parts.return?.());
  if (scope.method === 'HEAD') {
    reply.headers(headers);
    return Readable.from([]);
  }
  admit?.();
  endExecution();
  const end = () => scope.endStream();
  scope.onClose(streamKeys.watch(principal, end));
  await recheck();
  if (sessionLeftMs) {
    const expiry = setTimeout(end, Math.max(sessionLeftMs(), 0)).unref();
    scope.onClose(() => clearTimeout(expiry));
  }
  reply.headers(headers);
  scope.beginStream();
  // Fastify destroys the stream, which calls `return()` of the parts, when the client disconnects.
  return Readable.from(parts, { objectMode: false, highWaterMark: 1 });
}
