import { AppError } from '../errors/app-error.ts';

/** Maximum size of a request body (contract 4). */
export const MAX_BODY_BYTES = 1024 * 1024;

export const missingBody = (): AppError =>
  new AppError('BAD_REQUEST', 'The request body is empty; send a JSON body.');
