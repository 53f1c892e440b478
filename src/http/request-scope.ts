import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { UnsentResponses } from '../limits/unsent-responses.ts';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Reason of an abort: the response is complete, or the client disconnected before. */
export class RequestEnded extends Error {
  override readonly name = 'RequestEnded';
}

/** Reason of an abort: a stream ends, since its key is not active any more, or since the server stops. */
class StreamEnded extends Error {
  override readonly name = 'StreamEnded';
}

/** Format of an error body: `{ errors: [...] }` for GraphQL, `{ error }` for everything else. */
export type ErrorFormat = 'rest' | 'graphql';

/** One request and its response, from its arrival until the response is complete or the connection is closed. */
export class RequestScope {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** The client's `X-Request-Id` if well-formed, else a generated one; in every response and log line. */
  readonly requestId: string;
  readonly method: string;
  /** Method whose handler serves the request: that of a HEAD request is GET. */
  readonly handlerMethod: string;
  /** Path of the request target as the client spelled it. */
  readonly spelledPath: string;
  /** The same, percent-encoded, except for unreserved characters (RFC 3986 section 6.2.2.2). */
  readonly path: string;
  /** Query string without the `?`; may be empty. */
  readonly query: string;
  /** Milliseconds of `performance.now()`. */
  readonly startedAt = performance.now();
  /** Pattern of the route, for logs and metrics: raw paths contain ids and arbitrary input of scanners. */
  route = 'unmatched';
  /** True once a handler for the method of the request was found. */
  isServed = false;
  /** Tenant that the request acts for; undefined until resolved. */
  customerId: number | undefined;
  errorFormat: ErrorFormat = 'rest';
  /** Alternating names and values that every response includes. */
  readonly headers: string[] = [];
  /** Alternating names and values of the quota as of the latest charge; empty if there is none. */
  quotaHeaders: readonly string[] = [];
  /** Alternating names and values for the browser (CORS), on every response but a page. */
  corsHeaders: readonly string[] = [];
  /** Budget that the response counts toward; undefined if the server has none. */
  unsent: UnsentResponses | undefined;
  /** Start of the response stream, in milliseconds of `performance.now()`; the client determines its duration. */
  streamingSince: number | undefined;
  #stopping = false;
  #closed = false;
  readonly #abort = new AbortController();
  readonly #closeListeners: (() => void)[] = [];

  constructor(req: IncomingMessage, res: ServerResponse) {
    this.req = req;
    this.res = res;
    const requestId = req.headers['x-request-id'];
    this.requestId = typeof requestId === 'string' && REQUEST_ID.test(requestId) ? requestId : randomUUID();
    this.method = req.method ?? '';
    this.handlerMethod = this.method === 'HEAD' ? 'GET' : this.method;
    const target = originForm(req.url ?? '');
    const mark = target.indexOf('?');
    this.spelledPath = mark < 0 ? target : target.slice(0, mark);
    this.path = decodeUnreserved(this.spelledPath);
    this.query = mark < 0 ? '' : target.slice(mark + 1);
  }

  /**
   * Aborted when the client disconnects, when the database is unavailable, when a stream has to end, and at the latest
   * when the response is complete. What the request does ends with it.
   */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Aborts the request, which then does nothing more; only the first call has an effect. */
  abort(reason: Error): void {
    this.#abort.abort(reason);
  }

  /** Calls `listener` once, when the response is complete or the connection is closed. */
  onClose(listener: () => void): void {
    if (this.#closed) listener();
    else this.#closeListeners.push(listener);
  }

  /** Called when the response is complete or the connection is closed; only the first call has an effect. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.abort(new RequestEnded());
    for (const listener of this.#closeListeners) listener();
  }

  /** Returns the headers that every response includes, as alternating names and values. */
  commonHeaders(): string[] {
    return ['X-Request-Id', this.requestId, ...this.quotaHeaders, ...this.headers, ...this.corsHeaders];
  }

  /** Called when a response stream begins. */
  beginStream(): void {
    this.streamingSince = performance.now();
    if (this.#stopping) this.endStream();
  }

  endStream(): void {
    this.abort(new StreamEnded());
  }

  /** Called when the server stops: closes the connection after this response and ends its stream. */
  stop(): void {
    this.#stopping = true;
    this.headers.push('Connection', 'close');
    if (this.streamingSince !== undefined) this.endStream();
  }
}

/**
 * Converts an absolute-form request target, which servers must accept (RFC 9112 section 3.2.2). Dot segments stay: a
 * parsed URL has none, and would name another path than a proxy has seen.
 */
function originForm(target: string): string {
  if (target.startsWith('/') || !URL.canParse(target)) return target;
  const path = target.replace(/^[^:]+:\/\/[^/?]*/, '');
  return path.startsWith('/') ? path : `/${path}`;
}

const ENCODED_UNRESERVED = /%(?:2[DE]|3\d|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])/gi;

/** Decodes letters, digits, `-`, `.`, `_` and `~`: with or without their encoding, a path is the same. */
const decodeUnreserved = (path: string): string =>
  path.includes('%') ? path.replace(ENCODED_UNRESERVED, decodeURIComponent) : path;
