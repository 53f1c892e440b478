/** HTTP status of every error code there is; the one catalogue for every surface (contract 4). */
export const ERROR_STATUS = {
  BAD_REQUEST: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  NOT_CONFIGURED: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  VALIDATION_FAILED: 422,
  PROVIDER_KEY_INVALID: 422,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  PROVIDER_UNAVAILABLE: 502,
  SERVICE_UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** One thing that is wrong with an input: where (`url`, `events.0`), and what is accepted. */
export interface ErrorDetail {
  path: string;
  message: string;
}

interface AppErrorOptions {
  details?: ErrorDetail[];
  /** What really happened; goes to the log, never to a client. */
  cause?: unknown;
  /** Seconds after which a rate-limited caller may try again (`Retry-After`). */
  retryAfter?: number;
  /** Methods that the path does have (`Allow`, RFC 9110 section 10.2.1). */
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
    this.retryAfter = options.retryAfter;
    this.allow = options.allow;
  }

  /** HTTP status of the error's code. */
  get status(): number {
    return ERROR_STATUS[this.code];
  }
}

/** A 422 for one input field. */
export const invalid = (path: string, message: string): AppError =>
  new AppError('VALIDATION_FAILED', 'The input is not valid.', { details: [{ path, message }] });
