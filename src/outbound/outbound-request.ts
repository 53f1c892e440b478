import type { OutboundErrorCode } from './outbound-errors.ts';

export interface OutboundRequest {
  /** Absolute URL. `checkUrl` validates its form; the client checks the address that it resolves to. */
  url: string;
  method: 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT';
  headers: Record<string, string>;
  body?: string | Buffer;
  /** Time limit for the whole request, from the DNS lookup to the last byte read. */
  timeoutMs: number;
  /** Bytes of the response body to read, 65,536 by default; beyond them the connection closes with the response kept. */
  maxResponseBytes?: number;
  /** Bytes of the response body to return, 1,024 by default. */
  keepResponseBytes?: number;
  /** Aborts the request; the result is `aborted`. */
  signal?: AbortSignal;
  /** Called when a connection is open and the request is about to be written to it. */
  onStart?: () => void;
}

/** The response headers that callers use; the first value of a repeated one. */
export interface ResponseHeaders {
  contentType?: string;
  retryAfter?: string;
  webhookDelivery?: string;
  /** `RateLimit`, and the separate fields of the earlier drafts. */
  rateLimit?: string;
  rateLimitRemaining?: string;
  rateLimitReset?: string;
}

/** `ok` means that there was a response of any status; a redirect is a response like any other. */
export type OutboundResult =
  | {
      ok: true;
      status: number;
      headers: ResponseHeaders;
      /** All headers of the response, by name in lower case. */
      allHeaders?: Readonly<Record<string, string | string[] | undefined>>;
      /** The first bytes of the response body as UTF-8, not decompressed, cut between characters. */
      body: string;
      /** True if the response body is longer than `body`. */
      truncated: boolean;
      durationMs: number;
    }
  | {
      ok: false;
      error: OutboundErrorCode;
      /** Status of an incomplete response; undefined if there was none. */
      status: number | undefined;
      durationMs: number;
      /** The underlying error, for the log; not for tenants. */
      cause: Error;
    };
