import type { OutboundErrorCode } from './errors.ts';

export interface OutboundRequest {
  /** Absolute; what `checkUrl` accepts, but here the address that it resolves to counts. */
  url: string;
  method: 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT';
  headers: Record<string, string>;
  body?: string | Buffer;
  /** Milliseconds for the whole attempt, from look-up to the last byte read; a dripping receiver ends there too. */
  timeoutMs: number;
  /** Bytes of the body that are read, 65,536 by default; then the connection is closed, and the response stands. */
  maxResponseBytes?: number;
  /** Bytes of the body that come back, 1,024 by default. */
  keepResponseBytes?: number;
  /** Ends the attempt with `aborted`. */
  signal?: AbortSignal;
  /** Called when there is a connection and the request is about to be written to it; not when it comes to neither. */
  onStart?: () => void;
}

/** The headers that callers act on; of one that is repeated the first. */
export interface ResponseHeaders {
  contentType?: string;
  retryAfter?: string;
}

/** `ok` means that there was a response, of whatever status; redirects are responses like any other. */
export type OutboundResult =
  | {
      ok: true;
      status: number;
      headers: ResponseHeaders;
      /** The first bytes of the body as UTF-8, not decompressed; never half a character. */
      body: string;
      /** Whether the body goes on after `body`. */
      truncated: boolean;
      durationMs: number;
    }
  | {
      ok: false;
      error: OutboundErrorCode;
      /** Of a response that began and did not end. */
      status: number | undefined;
      durationMs: number;
      /** What really happened; for the log, not for tenants. */
      cause: Error;
    };
