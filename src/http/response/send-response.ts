import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify';
import type { AppError } from '../../errors/app-error.ts';
import { toAppError } from '../../errors/to-app-error.ts';
import { errorCodeOf } from '../../platform/error-code.ts';
import { discardBody } from '../../platform/http/lingering-close.ts';
import { unsupportedType } from '../../platform/http/parse-json-body.ts';
import { bodyTooLarge, incompleteBody } from '../../platform/http/read-body.ts';
import type { Logger } from '../../platform/logger.ts';
import { logServerError } from '../request-log.ts';
import { RequestEnded, type RequestScope } from '../request-scope.ts';
import { type CompressedForms, encodeBody } from './content-encoding.ts';
import { contentTag, namesTag } from './entity-tag.ts';
import { boundedDetails, boundedMessage } from './error-size.ts';
import { acceptedTypes } from './response-types.ts';
import {
  DATA_HEADERS,
  JSON_HEADERS,
  JSON_TYPE,
  pageHeaders,
  REVALIDATED_HEADERS,
  type ResponseHeaders,
} from './security-headers.ts';

/*
 * A handler returns the body of its response, undefined if it has none, after one of these functions has set its status
 * and headers. `completeResponse` then adds what every response has.
 */

export type Body = string | Uint8Array | Readable | undefined;

/** Bytes discarded of a request body that exceeds the maximum, so that the client reads the response. */
const MAX_DISCARD_BYTES = 16 * 1024 * 1024;

/** Size of one write of a larger body, so that the progress of slow clients is visible. */
const PART_BYTES = 64 * 1024;

interface JsonResponse {
  status: number;
  /** Serialized JSON. */
  json: string;
  headers?: ResponseHeaders;
}

export function respondJson(reply: FastifyReply, { status, json, headers = {} }: JsonResponse): Body {
  reply.code(status).headers(JSON_HEADERS).headers(headers);
  return json;
}

interface ReadResponse {
  /** Serialized content. */
  content: string;
  /** JSON by default. */
  contentType?: string;
  headers?: ResponseHeaders;
  /** 200 by default. */
  status?: number;
  /** Entity tag of the content; the response to a request that names it is a 304. */
  tag?: string | undefined;
  /** Compressed forms of a content that is sent repeatedly. */
  forms?: CompressedForms;
}

/**
 * Responds with the result of a read: conditionally if it has an entity tag, and compressed, unless the tag is a strong
 * one, which stands for the bytes. Reads return no secret, which compression together with reflected input would expose
 * (BREACH).
 */
export async function respondRead(
  scope: RequestScope,
  reply: FastifyReply,
  { status = 200, content, contentType = JSON_TYPE, headers = {}, tag, forms }: ReadResponse,
): Promise<Body> {
  const isCompressible = !tag?.startsWith('"');
  reply.headers(tag ? { ...REVALIDATED_HEADERS, etag: tag } : DATA_HEADERS).headers(headers);
  if (isCompressible) vary(reply, 'Accept-Encoding');
  if (tag && namesTag(scope.req.headers['if-none-match'], tag)) {
    reply.code(304);
    return;
  }
  const { body, coding } = isCompressible
    ? await encodeBody(scope.req, content, forms)
    : { body: content, coding: null };
  scope.signal.throwIfAborted();
  if (coding) reply.header('content-encoding', coding);
  scope.isBodyShared = coding !== null && forms !== undefined;
  reply.code(status).header('content-type', contentType);
  return body;
}

/** Adds a request header that the response depends on; CORS adds `Origin`. */
export function vary(reply: FastifyReply, name: string): void {
  const others = reply.getHeader('vary');
  reply.header('vary', others === undefined ? name : `${name}, ${others}`);
}

/**
 * Creates the handler of a public document. It compresses the document once, since requests for it need no key.
 * @param contentType JSON by default
 */
export function documentHandler(content: string, contentType = JSON_TYPE) {
  const forms: CompressedForms = new Map();
  const document = { content, contentType, tag: contentTag(content), forms };
  return ({ scope }: FastifyRequest, reply: FastifyReply): Promise<Body> =>
    respondRead(scope, reply, document);
}

/** Responds without content. */
export function respondEmpty(reply: FastifyReply, headers: ResponseHeaders = {}): void {
  reply.code(204).headers(DATA_HEADERS).headers(headers);
}

/** Removes the headers that let a script of another origin read a response or send a request. */
export function forbidScripts(reply: FastifyReply): void {
  for (const name of Object.keys(reply.getHeaders()))
    if (name.startsWith('access-control-')) reply.removeHeader(name);
}

/**
 * Responds with a page under a strict Content-Security-Policy.
 * @param render returns the HTML; inline scripts and styles must carry the nonce
 * @param options.directives further directives of the page's policy
 * @param options.hasSecrets the browser must not store the page
 */
export function respondPage(
  reply: FastifyReply,
  render: (nonce: string) => string,
  { directives = [], hasSecrets = false }: { directives?: readonly string[]; hasSecrets?: boolean } = {},
): Body {
  const nonce = randomBytes(16).toString('base64');
  // A page may contain the demo keys, which no script of another origin may read.
  forbidScripts(reply);
  reply
    .headers(pageHeaders(nonce, directives))
    .header('cache-control', hasSecrets ? 'no-store' : 'no-cache')
    .header('content-type', 'text/html; charset=utf-8');
  return render(nonce);
}

interface Failure {
  error: unknown;
  log: Logger;
}

/** Sends any thrown value in the error format of the surface (contract 4); unexpected errors become INTERNAL. */
export function sendError(scope: RequestScope, reply: FastifyReply, { error: thrown, log }: Failure): void {
  if (thrown instanceof RequestEnded) return;
  const error = toAppError(ofFastify(thrown, reply.request.routeOptions.bodyLimit));
  logServerError(error, { requestId: scope.requestId, log });
  if (scope.res.headersSent) {
    scope.res.destroy();
    return;
  }
  const body = errorBody(scope, error);
  reply.code(error.status).headers(errorTypeHeaders(scope)).headers(errorHeaders(scope, error));
  if (error.code !== 'PAYLOAD_TOO_LARGE' || scope.req.complete) {
    reply.send(body);
    return;
  }
  const { req } = scope;
  async function* lingering() {
    yield body;
    await discardBody(req, MAX_DISCARD_BYTES);
  }
  reply
    .header('connection', 'close')
    .header('content-length', Buffer.byteLength(body))
    .send(Readable.from(lingering(), { objectMode: false }));
}

/** Converts an error of Fastify, or of the connection, about a request body; returns any other error unchanged. */
function ofFastify(thrown: unknown, bodyLimit: number): unknown {
  switch (errorCodeOf(thrown)) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return bodyTooLarge(bodyLimit);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return unsupportedType();
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'ECONNRESET':
      return incompleteBody();
    default:
      return thrown;
  }
}

function errorBody({ requestId, errorFormat }: RequestScope, error: AppError): string {
  const { code } = error;
  const message = boundedMessage(error.message);
  const details = boundedDetails(error.details);
  return errorFormat === 'graphql'
    ? JSON.stringify({ errors: [{ message, extensions: { code, details, requestId } }] })
    : JSON.stringify({ error: { code, message, details, requestId } });
}

const errorTypeHeaders = ({ errorFormat, req }: RequestScope): ResponseHeaders =>
  errorFormat === 'graphql'
    ? { ...DATA_HEADERS, 'content-type': acceptedTypes(req.headers.accept).json }
    : JSON_HEADERS;

function errorHeaders({ req }: RequestScope, { code, retryAfter, allow }: AppError): ResponseHeaders {
  const headers: Record<string, string> = {};
  if (code === 'UNAUTHENTICATED') {
    // Without a bearer token, the challenge has no error (RFC 6750 section 3.1).
    const hasToken = /^Bearer +\S/i.test(req.headers.authorization ?? '');
    headers['www-authenticate'] = hasToken ? 'Bearer error="invalid_token"' : 'Bearer';
  }
  if (retryAfter !== undefined) headers['retry-after'] = String(Math.max(1, Math.ceil(retryAfter)));
  if (allow) headers.allow = allow.join(', ');
  return headers;
}

/**
 * Adds the headers that every response has, and counts the body toward the memory for unsent responses. A large body is
 * sent in parts, each once the connection accepts more.
 */
export const completeResponse: onSendHookHandler<string | Buffer | Readable | null> = (
  { scope },
  reply,
  payload,
  done,
) => {
  scope.isResponding = true;
  reply.header('x-request-id', scope.requestId).headers(scope.headers);
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) {
    done(null, payload);
    return;
  }
  const sizeBytes = Buffer.byteLength(payload);
  scope.unsent?.hold(scope, scope.isBodyShared ? 0 : sizeBytes);
  if (sizeBytes <= PART_BYTES || scope.method === 'HEAD') {
    done(null, payload);
    return;
  }
  reply.header('content-length', String(sizeBytes));
  done(null, Readable.from(parts(typeof payload === 'string' ? Buffer.from(payload) : payload)));
};

/** Splits a body without copying it. */
function* parts(body: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < body.length; start += PART_BYTES)
    yield body.subarray(start, start + PART_BYTES);
}
