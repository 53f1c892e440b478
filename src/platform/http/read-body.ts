import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../../errors/app-error.ts';
import { releaseBuffer } from '../release-buffer.ts';

/** Initial buffer size for a body without a Content-Length. */
const INITIAL_BYTES = 64 * 1024;

export const bodyTooLarge = (maxBytes: number): AppError =>
  new AppError('PAYLOAD_TOO_LARGE', `The request body exceeds the maximum of ${maxBytes} bytes.`);

export const incompleteBody = (): AppError =>
  new AppError('BAD_REQUEST', 'The request body ended before it was complete.');

/**
 * Rejects a body by its Content-Length, before any of it is read.
 * @throws AppError PAYLOAD_TOO_LARGE
 */
export function requireContentLength(headers: IncomingHttpHeaders, maxBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
}

interface ReadBodyOptions {
  req: IncomingMessage;
  res: ServerResponse;
  maxBytes: number;
}

/**
 * Reads a request body into a buffer that owns its memory, so that it can be transferred to a worker thread. Sends
 * `100 Continue` to a client that waits for it: the server has to handle `checkContinue`.
 * @throws AppError PAYLOAD_TOO_LARGE as soon as the size is known, without reading the rest; BAD_REQUEST if the client
 *   disconnects before the end
 */
export async function readBody({ req, res, maxBytes }: ReadBodyOptions): Promise<Buffer<ArrayBuffer>> {
  requireContentLength(req.headers, maxBytes);
  if (req.destroyed) throw incompleteBody();
  if (req.headers.expect) res.writeContinue();
  return new Promise((resolve, reject) => {
    let body = Buffer.allocUnsafeSlow(Number(req.headers['content-length'] ?? INITIAL_BYTES));
    let size = 0;
    const settle = (outcome: () => void) => {
      req.off('data', onData).off('end', onEnd).off('close', onClose);
      outcome();
    };
    const onData = (chunk: Buffer) => {
      const start = size;
      size += chunk.length;
      if (size > maxBytes) {
        settle(() => reject(bodyTooLarge(maxBytes)));
        return;
      }
      if (size > body.length) body = resized(body, Math.min(maxBytes, 2 * size));
      body.set(chunk, start);
      // Large chunks own their buffers; small ones are slices of a shared pool.
      if (chunk.byteLength === chunk.buffer.byteLength) releaseBuffer(chunk.buffer);
    };
    const onEnd = () => settle(() => resolve(size === body.length ? body : resized(body, size)));
    const onClose = () => settle(() => reject(incompleteBody()));
    req.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}

/** Moves the bytes into a buffer of another size, and releases the old buffer. */
const resized = (body: Buffer<ArrayBuffer>, size: number): Buffer<ArrayBuffer> =>
  Buffer.from(body.buffer.transfer(size));
