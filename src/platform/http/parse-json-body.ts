import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../errors/app-error.ts';
import { JsonError, parseJsonText } from '../json-text.ts';

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*(?:utf-8|"utf-8")\s*)?$/i;

/** Bytes decoded at a time: a longer string would lie outside the heap and be collected late. */
const PIECE_BYTES = 512 * 1024;

/** A byte order mark is kept, so that it is rejected as invalid JSON. */
const STRICT = { fatal: true, ignoreBOM: true };
const wholeDecoder = new TextDecoder('utf-8', STRICT);

export const unsupportedType = (): AppError =>
  new AppError('UNSUPPORTED_MEDIA_TYPE', 'Content-Type must be application/json in UTF-8.');

export const missingBody = (): AppError =>
  new AppError('BAD_REQUEST', 'The request body is empty; send a JSON body.');

/**
 * Requires a body to be declared as plain JSON in UTF-8. A browser sends such a request to another origin only after
 * a CORS preflight.
 * @throws AppError UNSUPPORTED_MEDIA_TYPE
 */
export function requireJsonType(headers: IncomingHttpHeaders): void {
  const type = headers['content-type'] ?? '';
  if (type !== 'application/json' && !JSON_TYPE.test(type)) {
    throw unsupportedType();
  }
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Content-Encoding must be identity.');
  }
}

/**
 * Parses the body of a request as JSON; undefined if the body is empty.
 * @throws AppError UNSUPPORTED_MEDIA_TYPE if it is not declared as plain JSON in UTF-8; BAD_REQUEST if it is not valid,
 *   nested too deeply or ambiguous
 */
export function parseJsonBody(headers: IncomingHttpHeaders, body: Uint8Array): unknown {
  if (body.length === 0) return undefined;
  requireJsonType(headers);
  return parseJson(body);
}

/** @throws AppError BAD_REQUEST */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  try {
    return parseJsonText(text);
  } catch (error) {
    if (error instanceof JsonError) throw new AppError('BAD_REQUEST', `The request body ${error.problem}`);
    throw error;
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return bytes.length <= PIECE_BYTES ? wholeDecoder.decode(bytes) : decodeInPieces(bytes);
  } catch {
    throw new AppError('BAD_REQUEST', 'The request body is not valid UTF-8.');
  }
}

function decodeInPieces(bytes: Uint8Array): string {
  const decoder = new TextDecoder('utf-8', STRICT);
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    pieces.push(decoder.decode(bytes.subarray(at, at + PIECE_BYTES), { stream: true }));
  }
  pieces.push(decoder.decode());
  return pieces.join('');
}
