import type { AppError } from '../errors/app-error.ts';
import type { Logger } from '../platform/logger.ts';
import { RequestEnded, type RequestScope } from './request-scope.ts';

/** Labels of a finished response for metrics and traces; no tenant, path or id (contract 2, METRICS). */
export interface ResponseSummary {
  /** `other` if no handler serves the method. */
  method: string;
  /** Pattern of the route; `unmatched` if no route matches. */
  route: string;
  status: number;
  /** True for a server error, also in the result of a GraphQL operation with another status. */
  isFailed: boolean;
  /** Duration until the response was complete, or until a stream began. */
  seconds: number;
}

/** Methods that are logged as such; others may be arbitrary input of scanners. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Logs a finished response: `debug` for success, `info` for a client error, `warn` for a server error. A connection that is
 * closed before is `debug`: its client disconnected, or the failure has a line of its own.
 * Logs route patterns instead of paths, the id of the API key instead of the key, and no bodies.
 */
export function logResponse(scope: RequestScope, log: Logger): ResponseSummary {
  const { requestId, route, customerId, keyId, res } = scope;
  const milliseconds = performance.now() - scope.startedAt;
  const status = res.statusCode;
  const method = METHODS.has(scope.method) ? scope.method : 'other';
  const isAborted = !res.writableFinished;
  const level = isAborted || status < 400 ? 'debug' : status >= 500 ? 'warn' : 'info';
  if (log.isLevelEnabled(level)) {
    const line = {
      requestId,
      method,
      route,
      status,
      durationMs: Math.round(milliseconds * 10) / 10,
      customerId,
      keyId,
    };
    if (isAborted) log[level](line, 'connection closed before the response was complete');
    else log[level](line, 'request completed');
  }
  const counted = scope.streamingSince === undefined ? milliseconds : scope.streamingSince - scope.startedAt;
  const isFailed = scope.hasFailed || status >= 500;
  return { method: scope.isServed ? method : 'other', route, status, isFailed, seconds: counted / 1000 };
}

/** Returns true for a server error (5xx). The end of a request is none. */
export const isServerError = (error: AppError): boolean =>
  error.status >= 500 && !(error.cause instanceof RequestEnded);

/** Logs a server error with its cause, which clients never see. */
export function logServerError(
  error: AppError,
  { requestId, log }: { requestId: string; log: Logger },
): void {
  if (isServerError(error))
    log.error({ err: error.cause ?? error, code: error.code, requestId }, 'request failed');
}
