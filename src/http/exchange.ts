import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** How an error is put into a body: `{ error }` for REST and everything else, `{ errors: [...] }` for GraphQL. */
export type ErrorFormat = 'rest' | 'graphql';

/** One request and its answer, with what every layer of the HTTP part knows about it. */
export class Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** The client's `X-Request-Id` where it is sane, else a fresh one; on every answer and in every log line. */
  readonly requestId: string;
  readonly method: string;
  /** Path as it came, still percent-encoded. */
  readonly path: string;
  /** What follows the `?`, or the empty string. */
  readonly query: string;
  /** Milliseconds of `performance.now()`. */
  readonly startedAt = performance.now();
  /** Pattern of the route, for logs and metrics: raw paths carry ids and whatever a scanner sends. */
  route = 'unmatched';
  /** The tenant acted for, once it is known. */
  customerId: number | undefined;
  errorFormat: ErrorFormat = 'rest';
  /** Names and values in turn, added to the answer whatever it becomes (`RateLimit-*`). */
  readonly headers: string[] = [];
  /** Ends an endless answer; set while there is one. */
  endStream: (() => void) | undefined;
  /** When an endless answer began, in milliseconds of `performance.now()`: how long it lasts is up to the client. */
  streamingSince: number | undefined;
  stopping = false;

  constructor(req: IncomingMessage, res: ServerResponse) {
    this.req = req;
    this.res = res;
    const given = req.headers['x-request-id'];
    this.requestId = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
    this.method = req.method ?? '';
    const target = originForm(req.url ?? '');
    const mark = target.indexOf('?');
    this.path = mark < 0 ? target : target.slice(0, mark);
    this.query = mark < 0 ? '' : target.slice(mark + 1);
  }

  /** The server stops: this is the last answer on its connection, and no longer an endless one. */
  stop(): void {
    this.stopping = true;
    this.headers.push('Connection', 'close');
    this.endStream?.();
  }
}

/** A server has to take the absolute form of a target too (RFC 9112 section 3.2.2). */
function originForm(target: string): string {
  if (target.startsWith('/') || !URL.canParse(target)) return target;
  const { pathname, search } = new URL(target);
  return pathname + search;
}
