import { errorCodeValues } from './generated/v1.ts';
import type { ErrorCode, ErrorDetail } from './models.ts';

/** Base class of the errors of this package. */
export class EngagementError extends Error {
  override name = 'EngagementError';
}

/**
 * Error codes of the service, and `UNKNOWN` for a response without a code that this version of the client knows, such
 * as the HTML page of a proxy.
 */
export type ApiErrorCode = ErrorCode | 'UNKNOWN';

/** An error response of the service, or of a proxy in front of it. Branch on `code`. */
export class ApiError extends EngagementError {
  override name = 'ApiError';
  /** Code of the error. */
  readonly code: ApiErrorCode;
  /** HTTP status of the response. */
  readonly status: number;
  /** Problems of the input, each with the path of its field; empty if there are none. */
  readonly details: readonly ErrorDetail[];
  /** Id of the request in the log of the service; null if the response has none. Quote it in support requests. */
  readonly requestId: string | null;
  /** Delay that the service requests in `Retry-After`, in seconds; null if it requests none. */
  readonly retryAfterSeconds: number | null;
  /** Headers of the response. */
  readonly headers: Headers;
  /** Body of the response: parsed if it is JSON, otherwise text. */
  readonly body: unknown;

  constructor({ status, headers, body }: { status: number; headers: Headers; body: unknown }) {
    const error = errorOf(body);
    const details: ErrorDetail[] = Array.isArray(error.details) ? error.details : [];
    super(
      typeof error.message === 'string'
        ? `${[error.message, ...problemsOf(details)].join(' ')} (${error.code}, HTTP ${status})`
        : `The response with HTTP ${status} is not one of the service; check baseUrl and the proxies before it.`,
    );
    this.code = errorCodeValues.find((code) => code === error.code) ?? 'UNKNOWN';
    this.status = status;
    this.details = details;
    this.requestId = headers.get('x-request-id');
    this.retryAfterSeconds = retryAfterSeconds(headers);
    this.headers = headers;
    this.body = body;
  }
}

/** There was no response: the connection failed. `cause` has the error of `fetch`. */
export class ConnectionError extends EngagementError {
  override name = 'ConnectionError';
}

/** The last attempt got no complete response within `timeoutMs`. */
export class RequestTimeoutError extends ConnectionError {
  override name = 'RequestTimeoutError';

  constructor(timeoutMs: number) {
    super(`The request timed out after ${timeoutMs} ms; raise timeoutMs if the operation takes longer.`);
  }
}

/** Returns the delay of `Retry-After`, which is a number of seconds or a date; null if there is none. */
function retryAfterSeconds(headers: Headers): number | null {
  const value = headers.get('retry-after')?.trim();
  if (!value) return null;
  if (/^\d+$/.test(value)) return Number(value);
  const seconds = (Date.parse(value) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}

/** Returns the first problems as text: logs often keep only the message of an error. */
const problemsOf = (details: readonly ErrorDetail[]): string[] =>
  details.slice(0, 3).map((detail) => `${detail?.path}: ${detail?.message}`);

function errorOf(body: unknown): Record<string, unknown> {
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : null;
  return typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {};
}
