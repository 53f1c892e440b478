import { isUtf8 } from 'node:buffer';
import { AppError } from '../errors.ts';
import type { Exchange } from './exchange.ts';

/** Bytes of a request body (contract 4). */
const BODY_LIMIT = 1024 * 1024;

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*(?:utf-8|"utf-8")\s*)?$/i;

const tooLarge = () =>
  new AppError('PAYLOAD_TOO_LARGE', `The body is too large: it may have ${BODY_LIMIT} bytes at most.`);
const unsupported = (message: string) => new AppError('UNSUPPORTED_MEDIA_TYPE', message);
const unreadable = (message: string) => new AppError('BAD_REQUEST', message);

/**
 * Reads the whole body, once.
 * @throws AppError PAYLOAD_TOO_LARGE as soon as it is known to be, without waiting for the rest;
 *   BAD_REQUEST when the client goes away in the middle
 */
export async function readBody({ req, res }: Exchange): Promise<Buffer> {
  if (Number(req.headers['content-length'] ?? 0) > BODY_LIMIT) throw tooLarge();
  // The client asked whether to send at all (`checkContinue`): by now it is known that it may.
  if (req.headers.expect) res.writeContinue();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (outcome: () => void) => {
      req.off('data', onData).off('end', onEnd).off('close', onClose);
      outcome();
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= BODY_LIMIT) chunks.push(chunk);
      else settle(() => reject(tooLarge()));
    };
    const onEnd = () =>
      settle(() => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    const onClose = () => settle(() => reject(unreadable('The body ended before it was complete.')));
    req.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}

/**
 * Parses a body as JSON; `undefined` when there is none.
 * @throws AppError UNSUPPORTED_MEDIA_TYPE (415) when it is not said to be plain UTF-8 JSON; BAD_REQUEST (400) when it is not
 */
export function parseJson({ req: { headers } }: Exchange, body: Buffer): unknown {
  if (body.length === 0) return undefined;
  const type = headers['content-type'] ?? '';
  if (type !== 'application/json' && !JSON_TYPE.test(type)) {
    throw unsupported('Content-Type must be application/json, in UTF-8.');
  }
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw unsupported('Content-Encoding must be identity.');
  }
  if (!isUtf8(body)) throw unreadable('The body is not UTF-8.');
  try {
    return JSON.parse(body.toString());
  } catch {
    throw unreadable('The body is not JSON.');
  }
}
