import { AppError } from '../errors/app-error.ts';
import { parseJsonBody } from '../platform/http/parse-json-body.ts';
import { readBody } from '../platform/http/read-body.ts';
import type { Caller } from './access/authenticate.ts';
import type { RequestScope } from './request-scope.ts';

/** Maximum size of a request body (contract 4). */
const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Reads and parses the JSON body of a request; undefined if it is empty. Checks the API key again unless the whole
 * request preceded the first check: a client may send the body long after the headers, and a revocation between the two
 * holds for the request (contract 3).
 * @throws AppError PAYLOAD_TOO_LARGE, UNAUTHENTICATED, UNSUPPORTED_MEDIA_TYPE, BAD_REQUEST
 */
export async function readJsonBody({ req, res }: RequestScope, caller: Caller): Promise<unknown> {
  const body = await readBody({ req, res, maxBytes: MAX_BODY_BYTES });
  if (!caller.isReceivedBeforeKey) await caller.recheck();
  return parseJsonBody(req.headers, body);
}

export const missingBody = (): AppError =>
  new AppError('BAD_REQUEST', 'The request body is empty; send a JSON body.');
