import type { IncomingMessage, ServerResponse } from 'node:http';
import { respondAndLinger } from '../../platform/http/lingering-close.ts';
import type { Logger } from '../../platform/logger.ts';
import { toSidecarError } from '../sidecar-error.ts';

/** Maximum size of a rejected body that is read and discarded, so that the client receives the response. */
const MAX_DISCARD_BYTES = 256 * 1024 * 1024;

const JSON_HEADERS = [
  'Content-Type',
  'application/json; charset=utf-8',
  'Cache-Control',
  'no-store',
  'X-Content-Type-Options',
  'nosniff',
];

interface JsonResponse {
  status: number;
  value: unknown;
  /** Alternating names and values. */
  headers?: readonly string[];
}

export function sendJson(res: ServerResponse, { status, value, headers = [] }: JsonResponse): void {
  const body = JSON.stringify(value);
  res.writeHead(status, [...JSON_HEADERS, ...headers, 'Content-Length', String(Buffer.byteLength(body))]);
  res.end(body);
}

interface ErrorResponse {
  req: IncomingMessage;
  res: ServerResponse;
  log: Logger;
  error: unknown;
}

/** Sends an error in the format of the service (contract 4). The cause appears in the log only. */
export function sendError({ req, res, log, error: thrown }: ErrorResponse): void {
  const error = toSidecarError(thrown);
  if (error.status >= 500) log.error({ err: error.cause, code: error.code }, 'request failed');
  if (res.headersSent || res.destroyed) {
    res.destroy();
    return;
  }
  const { status, code, message, details, allow } = error;
  const value = { error: { code, message, ...(details ? { details } : {}) } };
  const headers = allow ? ['Allow', allow.join(', ')] : [];
  if (req.complete) {
    sendJson(res, { status, value, headers });
    return;
  }
  respondAndLinger({
    req,
    res,
    status,
    headers: [...JSON_HEADERS, ...headers],
    body: JSON.stringify(value),
    maxDiscardBytes: MAX_DISCARD_BYTES,
  });
}
