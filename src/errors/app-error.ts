import { ERROR_STATUS, type ErrorCode } from './error-codes.ts';

/** A problem of an input: its path (`url`, `events.0`) and a description of the valid values. */
export interface ErrorDetail {
  path: string;
  message: string;
}

/** Time after which a request to an unavailable service can be retried; elections of the database are shorter. */
export const OUTAGE_SECONDS = 5;

interface AppErrorOptions {
  details?: ErrorDetail[];
  /** Underlying error; logged, never sent to a client. */
  cause?: unknown;
  /** Seconds after which the client can retry (`Retry-After`). */
  retryAfter?: number;
  /** Methods that the resource supports (`Allow`, RFC 9110 section 10.2.1). */
  allow?: string[];
}

/** Error that services throw; `src/errors/to-app-error.ts` and `src/http` map it to GraphQL and REST. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetail[] | undefined;
  readonly retryAfter: number | undefined;
  readonly allow: string[] | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = options.details?.length ? options.details : undefined;
    this.retryAfter = options.retryAfter ?? (code === 'SERVICE_UNAVAILABLE' ? OUTAGE_SECONDS : undefined);
    this.allow = options.allow;
  }

  /** HTTP status of the error's code. */
  get status(): number {
    return ERROR_STATUS[this.code];
  }
}

/** Returns true for an AppError with this code. */
export const hasCode = (error: unknown, code: ErrorCode): boolean =>
  error instanceof AppError && error.code === code;

export const badRequest = (message: string): AppError => new AppError('BAD_REQUEST', message);

/** Returns a 422 error for the problems of an input. */
export const invalidInput = (details: ErrorDetail[]): AppError =>
  new AppError('VALIDATION_FAILED', 'The input is not valid.', { details });

/** Returns a 422 error for one input field. */
export const invalid = (path: string, message: string): AppError => invalidInput([{ path, message }]);
