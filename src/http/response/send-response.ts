import { randomBytes } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import type { AppError } from '../../errors/app-error.ts';
import { toAppError } from '../../errors/to-app-error.ts';
import { respondAndLinger } from '../../platform/http/lingering-close.ts';
import type { Logger } from '../../platform/logger.ts';
import { acceptedTypes } from '../graphql/response-types.ts';
import { logServerError } from '../request-log.ts';
import { RequestEnded, type RequestScope } from '../request-scope.ts';
import { type CompressedForms, encodeBody } from './content-encoding.ts';
import { namesTag } from './entity-tag.ts';
import { boundedDetails, boundedMessage } from './error-size.ts';
import {
  DATA_HEADERS,
  JSON_HEADERS,
  JSON_TYPE,
  pageHeaders,
  REVALIDATED_HEADERS,
} from './security-headers.ts';

/** Bytes discarded of a request body that exceeds the maximum, so that the client reads the response. */
const MAX_DISCARD_BYTES = 16 * 1024 * 1024;

/** Size of one write of a larger body, so that the progress of slow clients is visible. */
const PART_BYTES = 64 * 1024;

interface WholeResponse {
  status: number;
  /** Alternating names and values. */
  headers: readonly string[];
  body: string | Uint8Array;
  /** True if other responses send the same bytes: they are in memory once. */
  isShared?: boolean;
}

/** Sends a response whose body is complete, or its headers in response to HEAD. */
export function sendResponse(scope: RequestScope, response: WholeResponse): void {
  const { status, headers, body, isShared = false } = response;
  const sizeBytes = Buffer.byteLength(body);
  scope.unsent?.hold(scope, isShared ? 0 : sizeBytes);
  if (sizeBytes <= PART_BYTES || scope.method === 'HEAD') {
    writeHead(scope, { status, headers: [...headers, 'Content-Length', String(sizeBytes)] });
    // Node.js omits the body in response to HEAD.
    scope.res.end(body);
  } else {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    sendStream(scope, { status, headers, sizeBytes, source: Readable.from(parts(bytes)) });
  }
}

interface StreamedResponse extends Omit<WholeResponse, 'body' | 'isShared'> {
  sizeBytes: number;
  source: Readable;
}

/** Sends a response in parts, each once the connection accepts more; only its headers in response to HEAD. */
export function sendStream(
  scope: RequestScope,
  { status, headers, sizeBytes, source }: StreamedResponse,
): void {
  writeHead(scope, { status, headers: [...headers, 'Content-Length', String(sizeBytes)] });
  if (scope.method === 'HEAD') {
    source.destroy();
    scope.res.end();
    return;
  }
  // An error, such as a closed connection, ends both streams; the client sees an incomplete response.
  pipeline(source, scope.res, () => {});
}

/** Sends a response that has no content: 204 or 304. */
export function sendEmpty(scope: RequestScope, head: Omit<WholeResponse, 'body'>): void {
  writeHead(scope, head);
  scope.res.end();
}

function writeHead(scope: RequestScope, { status, headers }: Omit<WholeResponse, 'body'>): void {
  scope.res.writeHead(status, [...headers, ...scope.commonHeaders()]);
}

/** Splits a body without copying it. */
function* parts(body: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < body.length; start += PART_BYTES)
    yield body.subarray(start, start + PART_BYTES);
}

interface JsonResponse {
  status: number;
  /** Serialized JSON. */
  json: string;
  /** Alternating names and values. */
  headers?: readonly string[];
}

export const sendJson = (scope: RequestScope, { status, json, headers }: JsonResponse): void =>
  sendResponse(scope, {
    status,
    headers: headers?.length ? [...JSON_HEADERS, ...headers] : JSON_HEADERS,
    body: json,
  });

interface ReadResponse {
  /** Serialized content. */
  content: string;
  /** JSON by default. */
  contentType?: string;
  /** Alternating names and values. */
  headers?: readonly string[];
  /** 200 by default. */
  status?: number;
  /** Entity tag of the content; the response to a request that names it is a 304. */
  tag?: string | undefined;
  /** Compressed forms of a content that is sent repeatedly. */
  forms?: CompressedForms;
}

/**
 * Sends the result of a read: conditional if it has an entity tag, and compressed, unless the tag is a strong one, which
 * stands for the bytes. Reads return no secret, which compression together with reflected input would expose (BREACH).
 */
export async function sendRead(scope: RequestScope, response: ReadResponse): Promise<void> {
  const { status = 200, content, contentType = JSON_TYPE, tag } = response;
  const isCompressible = !tag?.startsWith('"');
  const headers = [
    ...(tag ? [...REVALIDATED_HEADERS, 'ETag', tag] : DATA_HEADERS),
    ...(isCompressible ? ['Vary', 'Accept-Encoding'] : []),
    ...(response.headers ?? []),
  ];
  if (tag && namesTag(scope.req.headers['if-none-match'], tag)) {
    sendEmpty(scope, { status: 304, headers });
    return;
  }
  const { body, coding } = isCompressible
    ? await encodeBody(scope.req, content, response.forms)
    : { body: content, coding: null };
  scope.signal.throwIfAborted();
  if (coding) headers.push('Content-Encoding', coding);
  sendResponse(scope, {
    status,
    headers: [...headers, 'Content-Type', contentType],
    body,
    isShared: coding !== null && response.forms !== undefined,
  });
}

export const sendRedirect = (scope: RequestScope, location: string): void =>
  sendResponse(scope, { status: 302, headers: [...DATA_HEADERS, 'Location', location], body: '' });

/**
 * Sends a page under a strict Content-Security-Policy.
 * @param render returns the HTML; inline scripts and styles must carry the nonce
 * @param options.directives further directives of the page's policy
 * @param options.hasSecrets the browser must not store the page
 */
export function sendPage(
  scope: RequestScope,
  render: (nonce: string) => string,
  { directives = [], hasSecrets = false }: { directives?: readonly string[]; hasSecrets?: boolean } = {},
): void {
  const nonce = randomBytes(16).toString('base64');
  // A page may contain the demo keys, which no script of another origin may read.
  scope.corsHeaders = [];
  sendResponse(scope, {
    status: 200,
    headers: [
      ...pageHeaders(nonce, directives),
      'Cache-Control',
      hasSecrets ? 'no-store' : 'no-cache',
      'Content-Type',
      'text/html; charset=utf-8',
    ],
    body: render(nonce),
  });
}

/** Sends any thrown value in the error format of the surface (contract 4); unexpected errors become INTERNAL. */
export function sendError(scope: RequestScope, thrown: unknown, log: Logger): void {
  if (thrown instanceof RequestEnded) return;
  const error = toAppError(thrown);
  logServerError(error, { requestId: scope.requestId, log });
  if (scope.res.headersSent) {
    scope.res.destroy();
    return;
  }
  const body = errorBody(scope, error);
  const headers = [...errorTypeHeaders(scope), ...errorHeaders(scope, error)];
  if (error.code !== 'PAYLOAD_TOO_LARGE' || scope.req.complete) {
    sendResponse(scope, { status: error.status, headers, body });
    return;
  }
  respondAndLinger({
    req: scope.req,
    res: scope.res,
    status: error.status,
    headers: [...headers, ...scope.commonHeaders()],
    body,
    maxDiscardBytes: MAX_DISCARD_BYTES,
  });
}

function errorBody({ requestId, errorFormat }: RequestScope, error: AppError): string {
  const { code } = error;
  const message = boundedMessage(error.message);
  const details = boundedDetails(error.details);
  return errorFormat === 'graphql'
    ? JSON.stringify({ errors: [{ message, extensions: { code, details, requestId } }] })
    : JSON.stringify({ error: { code, message, details, requestId } });
}

const errorTypeHeaders = ({ errorFormat, req }: RequestScope): readonly string[] =>
  errorFormat === 'graphql'
    ? [...DATA_HEADERS, 'Content-Type', acceptedTypes(req.headers.accept).json]
    : JSON_HEADERS;

function errorHeaders({ req }: RequestScope, { code, retryAfter, allow }: AppError): string[] {
  const headers: string[] = [];
  if (code === 'UNAUTHENTICATED') {
    // Without a bearer token, the challenge has no error (RFC 6750 section 3.1).
    const hasToken = /^Bearer +\S/i.test(req.headers.authorization ?? '');
    headers.push('WWW-Authenticate', hasToken ? 'Bearer error="invalid_token"' : 'Bearer');
  }
  if (retryAfter !== undefined) headers.push('Retry-After', String(Math.max(1, Math.ceil(retryAfter))));
  if (allow) headers.push('Allow', allow.join(', '));
  return headers;
}
