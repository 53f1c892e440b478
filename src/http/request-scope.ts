import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { UnsentResponses } from '../limits/unsent-responses.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Created before the first check. */
    scope: RequestScope;
  }
}

/** Reason for an abort: the response is complete, or the client disconnected before it was. */
export class RequestEnded extends Error {
  override readonly name = 'RequestEnded';
}

/** Reason for an abort: the key of a stream is no longer active, or the server is stopping. */
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
  /** Path of the request target as the client spelled it. */
  readonly spelledPath: string;
  /** The same, percent-encoded, except for unreserved characters (RFC 3986 section 6.2.2.2). */
  readonly path: string;
  /** Query string without the `?`; may be empty. */
  readonly query: string;
  readonly errorFormat: ErrorFormat;
  /** Milliseconds of `performance.now()`. */
  readonly startedAt = performance.now();
  /** Budget that the response counts toward; null if the server has none. */
  readonly unsent: UnsentResponses | null;
  /** Headers of the response, whatever its content, by lower-case name. */
  readonly headers: Record<string, string> = {};
  /** Pattern of the route, for logs and metrics: raw paths contain ids and arbitrary input of scanners. */
  route = 'unmatched';
  /** True once a handler for the method of the request was found. */
  isServed = false;
  /** Tenant that the request acts for; undefined until resolved. */
  customerId: number | undefined;
  /** API key of the request, also of its console session; undefined until it is authenticated. */
  keyId: string | undefined;
  /** True if the response has a server error that its status does not say: a GraphQL operation that was executed is a 200. */
  hasFailed = false;
  /** True from the moment that the response, an error included, is passed to the connection. */
  isResponding = false;
  /** True if other responses send the same bytes: they are in memory once. */
  isBodyShared = false;
  /** Start of the response stream, in milliseconds of `performance.now()`; the client determines its duration. */
  streamingSince: number | undefined;
  #isStopping = false;
  #isClosed = false;
  readonly #abort = new AbortController();
  #stop: AbortController | null = null;
  readonly #closeListeners: (() => void)[] = [];
  /** Work of the request in progress. */
  #working = 0;
  readonly #endListeners: (() => void)[] = [];

  constructor(request: FastifyRequest, { raw }: FastifyReply, unsent: UnsentResponses | null) {
    this.req = request.raw;
    this.res = raw;
    this.requestId = request.id;
    this.method = request.method;
    const target = originForm(request.originalUrl);
    const mark = target.indexOf('?');
    this.spelledPath = mark < 0 ? target : target.slice(0, mark);
    this.path = decodeUnreserved(this.spelledPath);
    this.query = mark < 0 ? '' : target.slice(mark + 1);
    this.errorFormat = /^\/graphql(\/|$)/.test(this.path) ? 'graphql' : 'rest';
    this.unsent = unsent;
    const close = () => this.#close();
    this.res.once('close', close);
    // The response to a pipelined request emits nothing if the connection is closed before its turn.
    if (this.res.socket) return;
    const { socket } = this.req;
    socket.once('close', close);
    this.onClose(() => socket.off('close', close));
  }

  /**
   * Aborted when the client disconnects, when the database is unavailable, when a stream has to end, and at the latest
   * when the response is complete. What the request does ends with it.
   */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Aborted when the server stops: a request that waits responds with what it has. */
  get stopping(): AbortSignal {
    this.#stop ??= new AbortController();
    if (this.#isStopping) this.#stop.abort();
    return this.#stop.signal;
  }

  /** Aborts the request, which then does nothing more; only the first call has an effect. */
  abort(reason: Error): void {
    this.#abort.abort(reason);
  }

  /** Calls `listener` once, when the response is complete or the connection is closed. */
  onClose(listener: () => void): void {
    if (this.#isClosed) listener();
    else this.#closeListeners.push(listener);
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.abort(new RequestEnded());
    for (const listener of this.#closeListeners) listener();
    this.#endIfDone();
  }

  /** Does work that can outlast the connection: whatever it waits for need not end with `signal`. */
  async work<T>(run: () => Promise<T>): Promise<T> {
    this.#working += 1;
    try {
      return await run();
    } finally {
      this.#working -= 1;
      this.#endIfDone();
    }
  }

  /** As `onClose`, but not before the `work` has settled. */
  onEnd(listener: () => void): void {
    this.#endListeners.push(listener);
    this.#endIfDone();
  }

  #endIfDone(): void {
    if (!this.#isClosed || this.#working > 0) return;
    for (const listener of this.#endListeners.splice(0)) listener();
  }

  /** Called when a response stream begins. */
  beginStream(): void {
    this.streamingSince = performance.now();
    if (this.#isStopping) this.endStream();
  }

  endStream(): void {
    this.abort(new StreamEnded());
  }

  /** Called when the server stops: closes the connection after this response and ends its stream. */
  stop(): void {
    this.#isStopping = true;
    this.headers.connection = 'close';
    this.#stop?.abort();
    if (this.streamingSince !== undefined) this.endStream();
  }
}

/**
 * Returns the request target that the router reads: in origin form. A malformed percent-encoding is encoded, so that its
 * path is unknown as any other text is.
 */
export function routedTarget({ url = '' }: IncomingMessage): string {
  const target = originForm(url);
  if (!target.includes('%')) return target;
  const [path = '', ...query] = target.split('?');
  try {
    decodeURIComponent(path);
    return target;
  } catch {
    return [path.replaceAll('%', '%25'), ...query].join('?');
  }
}

/**
 * Converts an absolute-form request target, which servers must accept (RFC 9112 section 3.2.2). Dot segments stay: a
 * parsed URL has none, and would name another path than a proxy has seen.
 */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const path = URL.canParse(target) ? target.replace(/^[^:]+:\/\/[^/?]*/, '') : target;
  return path.startsWith('/') ? path : `/${path}`;
}

const ENCODED_UNRESERVED = /%(?:2[DE]|3\d|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])/gi;

/** Decodes letters, digits, `-`, `.`, `_` and `~`: with or without their encoding, a path is the same. */
const decodeUnreserved = (path: string): string =>
  path.includes('%') ? path.replace(ENCODED_UNRESERVED, decodeURIComponent) : path;
