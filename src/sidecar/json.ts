import { AppError } from '../errors.ts';

/** Bytes that are decoded at a time. A longer string would lie outside of the heap, where it is collected late. */
const PIECE = 512 * 1024;

/**
 * The JSON that bytes hold.
 * @throws AppError BAD_REQUEST
 */
export function parseJson(body: Uint8Array): unknown {
  const text = decode(body);
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError('BAD_REQUEST', 'The body is not JSON.');
  }
}

function decode(body: Uint8Array): string {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const pieces: string[] = [];
  try {
    for (let at = 0; at < body.length; at += PIECE) {
      pieces.push(decoder.decode(body.subarray(at, at + PIECE), { stream: true }));
    }
    pieces.push(decoder.decode());
  } catch {
    throw new AppError('BAD_REQUEST', 'The body is not UTF-8.');
  }
  return pieces.join('');
}
