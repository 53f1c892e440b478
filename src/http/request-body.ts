import { AppError } from '../errors/app-error.ts';
import { parseJsonBody } from '../platform/http/parse-json-body.ts';
import { readBody } from '../platform/http/read-body.ts';
import type { Exchange } from './exchange.ts';

/** Maximum size of a request body (contract 4). */
const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Reads and parses the JSON body of a request; undefined if it is empty.
 * @throws AppError PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, BAD_REQUEST
 */
export const readJsonBody = async ({ req, res }: Exchange): Promise<unknown> =>
  parseJsonBody(req.headers, await readBody({ req, res, maxBytes: MAX_BODY_BYTES }));

export const missingBody = (): AppError =>
  new AppError('BAD_REQUEST', 'The request body is empty; send a JSON body.');
