import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { UnsentResponses } from '../limits/unsent-responses.ts';
import { DatabaseUnavailable } from '../platform/mongo/unavailable.ts';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

const NOT_AUTHENTICATED = async (): Promise<void> => {};

/** Format of an error body: `{ errors: [...] }` for GraphQL, `{ error }` for everything else. */
export type ErrorFormat = 'rest' | 'graphql';

/** One request and its response, with the state that the layers of the HTTP server share. */
export class Exchange {
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
  /** True if the last byte of the request was received before its API key was looked up. */
  receivedBeforeKey = false;
  /**
   * Reads the API key again; rejects with UNAUTHENTICATED if the key or the session is no longer active. Set by the
   * authentication.
   */
  recheckKey: () => Promise<void> = NOT_AUTHENTICATED;
  /** Takes further points from the quota of the API key; rejects with RATE_LIMITED. Set by the authentication. */
  charge: (points: number) => Promise<void> = NOT_AUTHENTICATED;
  /** Returns the time left of the console session that authenticated the request; undefined if an API key did. */
  sessionLeftMs: (() => number) | undefined;
  /** Budget that the response counts toward; undefined if the server has none. */
  unsent: UnsentResponses | undefined;
  /** Ends the response stream; undefined unless one is open. */
  endStream: (() => void) | undefined;
  /** Start of the response stream, in milliseconds of `performance.now()`; the client determines its duration. */
  streamingSince: number | undefined;
  stopping = false;
  /** Ends the count of this request as one in execution; undefined before authentication. */
  endExecution: (() => void) | undefined;
  #closed = false;
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

  /** Calls `listener` once, when the response is complete or the connection is closed. */
  onClose(listener: () => void): void {
    if (this.#closed) listener();
    else this.#closeListeners.push(listener);
  }

  /** Called when the response is complete or the connection is closed; only the first call has an effect. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const listener of this.#closeListeners) listener();
  }

  /**
   * Called before the operation of a request begins.
   * @throws DatabaseUnavailable if a 503 response has already been sent (contract 4)
   */
  throwIfResponded(): void {
    if (this.res.headersSent) throw new DatabaseUnavailable();
  }

  /**
   * Called before an operation that had to wait begins.
   * @throws DatabaseUnavailable if the connection has been closed, or a 503 response has been sent
   */
  throwIfClosed(): void {
    if (this.#closed) throw new DatabaseUnavailable();
    this.throwIfResponded();
  }

  /** Returns the headers that every response includes, as alternating names and values. */
  commonHeaders(): string[] {
    return ['X-Request-Id', this.requestId, ...this.quotaHeaders, ...this.headers, ...this.corsHeaders];
  }

  /** Called when the server stops: closes the connection after this response and ends its stream. */
  stop(): void {
    this.stopping = true;
    this.headers.push('Connection', 'close');
    this.endStream?.();
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
