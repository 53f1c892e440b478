import { randomBytes } from 'node:crypto';
import { toAppError } from '../../schema/errors.ts';
import type { AppError } from '../errors.ts';
import { respondAndLinger } from '../platform/http/lingering-close.ts';
import type { Logger } from '../platform/logger.ts';
import type { Exchange } from './exchange.ts';
import { DATA_HEADERS, pageHeaders } from './security-headers.ts';

/** Bytes discarded of a request body that exceeds the maximum, so that the client reads the response. */
const MAX_DISCARD_BYTES = 16 * 1024 * 1024;

const JSON_HEADERS = [...DATA_HEADERS, 'Content-Type', 'application/json; charset=utf-8'];

/**
 * Writes a whole answer.
 * @param headers names and values in turn
 */
export function send(
  x: Exchange,
  status: number,
  headers: readonly string[],
  body: string | Uint8Array,
): void {
  x.res.writeHead(status, [
    ...headers,
    'X-Request-Id',
    x.requestId,
    'Content-Length',
    String(Buffer.byteLength(body)),
    ...x.headers,
  ]);
  x.res.end(body);
}

/** Writes an answer of JSON that is already text. */
export const sendJson = (x: Exchange, status: number, json: string, headers: readonly string[] = []): void =>
  send(x, status, headers.length ? [...JSON_HEADERS, ...headers] : JSON_HEADERS, json);

/** Leads a browser on to another address of this server. */
export const sendRedirect = (x: Exchange, location: string): void =>
  send(x, 302, [...DATA_HEADERS, 'Location', location], '');

/**
 * Writes a page under a strict Content-Security-Policy.
 * @param render makes the HTML; inline script and style in it must carry the nonce
 * @param directives what the page's policy needs beside the usual
 */
export function sendPage(
  x: Exchange,
  render: (nonce: string) => string,
  directives: readonly string[] = [],
): void {
  const nonce = randomBytes(16).toString('base64');
  send(
    x,
    200,
    [...pageHeaders(nonce, directives), 'Content-Type', 'text/html; charset=utf-8'],
    render(nonce),
  );
}

/**
 * Answers with an error, whatever was thrown, in the one shape that there is (contract 4).
 * What is not meant for a client is logged and becomes INTERNAL.
 */
export function sendError(x: Exchange, thrown: unknown, log: Logger): void {
  const error = toAppError(thrown);
  if (error.status >= 500)
    log.error({ err: error.cause ?? error, code: error.code, requestId: x.requestId }, 'request failed');
  if (x.res.headersSent) {
    x.res.destroy();
    return;
  }
  const body = errorBody(x, error);
  const headers = errorHeaders(error);
  if (error.code !== 'PAYLOAD_TOO_LARGE' || x.req.complete) {
    sendJson(x, error.status, body, headers);
    return;
  }
  respondAndLinger({
    req: x.req,
    res: x.res,
    status: error.status,
    headers: [...JSON_HEADERS, ...headers, 'X-Request-Id', x.requestId, ...x.headers],
    body,
    maxDiscardBytes: MAX_DISCARD_BYTES,
  });
}

function errorBody({ requestId, errorFormat }: Exchange, { code, message, details }: AppError): string {
  return errorFormat === 'graphql'
    ? JSON.stringify({ errors: [{ message, extensions: { code, details, requestId } }] })
    : JSON.stringify({ error: { code, message, details, requestId } });
}

function errorHeaders({ code, retryAfter, allow }: AppError): string[] {
  const headers: string[] = [];
  if (code === 'UNAUTHENTICATED') headers.push('WWW-Authenticate', 'Bearer');
  if (retryAfter !== undefined) headers.push('Retry-After', String(Math.max(1, Math.ceil(retryAfter))));
  if (allow) headers.push('Allow', allow.join(', '));
  return headers;
}
