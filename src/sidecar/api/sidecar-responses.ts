import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../../errors.ts';
import type { Logger } from '../../platform/logger.ts';
import { release } from '../memory.ts';

/** How long a body that was refused for its size is still read, so that its sender gets to see the answer. */
const LINGER_MS = 2_000;

export function sendJson(
  res: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
) {
  const body = JSON.stringify(value);
  res.writeHead(status, { ...jsonHeaders(body), ...headers });
  res.end(body);
}

const jsonHeaders = (body: string) => ({
  'Content-Type': 'application/json; charset=utf-8',
  'Content-Length': Buffer.byteLength(body),
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
});

/** Answers with an error in the service's own shape (contract 4); its cause goes to the log alone. */
export function sendError(req: IncomingMessage, res: ServerResponse, thrown: unknown, log: Logger): void {
  const error =
    thrown instanceof AppError
      ? thrown
      : new AppError('INTERNAL', 'Something went wrong.', { cause: thrown });
  if (error.status >= 500) log.error({ err: error.cause, code: error.code }, 'request failed');
  if (res.headersSent || res.destroyed) {
    res.destroy();
    return;
  }
  const { code, message, details, allow } = error;
  const value = { error: { code, message, ...(details ? { details } : {}) } };
  const headers: Record<string, string> = allow ? { Allow: allow.join(', ') } : {};
  if (req.complete) sendJson(res, error.status, value, headers);
  else sendAndLinger(req, res, error.status, value, headers);
}

/**
 * Answers while the body is still on its way, and throws its rest away. Cut off at once, a client that is still
 * sending would never read the answer (RFC 9112 section 9.6).
 */
function sendAndLinger(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string>,
): void {
  const body = JSON.stringify(value);
  res.writeHead(status, { ...jsonHeaders(body), ...headers, Connection: 'close' });
  res.write(body);
  const finish = () => {
    clearTimeout(timer);
    res.end();
  };
  const timer = setTimeout(finish, LINGER_MS);
  req.once('end', finish).once('close', finish).resume();
}

/** Only what is said to be JSON is read, so that no page of a browser can post here without asking first. */
export function requireJson({ headers }: IncomingMessage): void {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Content-Type must be application/json.');
  }
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Content-Encoding must be identity.');
  }
}

const tooLarge = (limit: number) =>
  new AppError('PAYLOAD_TOO_LARGE', `A body may have ${limit} bytes at most.`);

/**
 * Refuses a body that says itself that it is too long.
 * @throws AppError PAYLOAD_TOO_LARGE
 */
export function requireSize({ headers }: IncomingMessage, limit: number): void {
  if (Number(headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
}

/**
 * Reads the whole body into memory of its own.
 * @throws AppError PAYLOAD_TOO_LARGE as soon as it is known to be; BAD_REQUEST when the client goes away in the middle
 */
export async function readBody(req: IncomingMessage, limit: number): Promise<Uint8Array> {
  requireSize(req, limit);
  const cutShort = () => new AppError('BAD_REQUEST', 'The body ended before it was complete.');
  if (req.destroyed && !req.complete) throw cutShort();
  return new Promise((resolve, reject) => {
    let body = new Uint8Array(Number(req.headers['content-length'] ?? 64 * 1024));
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      const start = size;
      size += chunk.length;
      if (size > limit) {
        reject(tooLarge(limit));
        return;
      }
      if (size > body.length) body = grown(body, Math.min(limit, 2 * size));
      body.set(chunk, start);
      // What arrived is a buffer of its own unless it is small.
      if (chunk.byteLength === chunk.buffer.byteLength) release(chunk.buffer);
    });
    req.once('end', () => resolve(size === body.length ? body : grown(body, size)));
    req.once('close', () => reject(cutShort()));
  });
}

/** The same bytes in memory of another size; the old one is given back. */
const grown = (body: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(body.buffer.transfer(size));
