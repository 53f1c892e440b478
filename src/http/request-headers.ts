import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors/app-error.ts';

/** Header fields of which a request has at most one: another recipient may have read the other. */
const SINGLE = ['Host', 'Authorization'];

/**
 * Checks the header fields that concern every request.
 * @throws AppError BAD_REQUEST without a `Host` (HTTP/1.1), or with several `Host` or `Authorization` fields;
 *   EXPECTATION_FAILED if `Expect` is not `100-continue`
 */
export function checkRequestHeaders({ headers, rawHeaders, httpVersionMinor }: IncomingMessage): void {
  if (headers.host === undefined && httpVersionMinor > 0) {
    throw new AppError('BAD_REQUEST', 'The Host header is missing.');
  }
  for (const name of SINGLE) {
    if (countOf(name, rawHeaders) > 1)
      throw new AppError('BAD_REQUEST', `The request has more than one ${name} header.`);
  }
  // HTTP/1.0 has no expectations (RFC 9110 section 10.1.1).
  if (headers.expect !== undefined && httpVersionMinor > 0 && headers.expect.toLowerCase() !== '100-continue')
    throw new AppError(
      'EXPECTATION_FAILED',
      'The only supported expectation is 100-continue; omit the Expect header.',
    );
}

/** Returns the number of fields with a name. The parsed headers contain only the first `Host` and `Authorization`. */
function countOf(name: string, rawHeaders: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const field = rawHeaders[i] ?? '';
    if (field.length === name.length && field.toLowerCase() === name.toLowerCase()) count += 1;
  }
  return count;
}
