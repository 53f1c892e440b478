import { StringDecoder } from 'node:string_decoder';
import type { Dispatcher } from 'undici';
import { OutboundError, outboundErrorCode } from './outbound-errors.ts';
import type { OutboundRequest, OutboundResult, ResponseHeaders } from './outbound-request.ts';
import type { Connecting } from './proxy.ts';

const DEFAULT_MAX_RESPONSE_BYTES = 65_536;
const DEFAULT_KEEP_RESPONSE_BYTES = 1_024;

/** Interim (1xx) responses that are accepted before the final one. */
const MAX_INTERIM_RESPONSES = 8;

/**
 * Handles one request and its response as undici's dispatch handler, which avoids the stream and the abort signal that
 * `agent.request` creates for each request. Settles once; anything that happens afterwards only destroys the socket.
 */
export class RequestHandler implements Dispatcher.DispatchHandler {
  readonly #request: OutboundRequest;
  readonly #settle: (result: OutboundResult) => void;
  readonly #maxBytes: number;
  readonly #keepBytes: number;
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout;
  #settled = false;
  #connecting: Connecting | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #interimResponses = 0;
  #status: number | undefined;
  #headers: ResponseHeaders = {};
  #allHeaders: Record<string, string | string[] | undefined> = {};
  #bytes = 0;
  #kept: Buffer[] = [];

  constructor(request: OutboundRequest, settle: (result: OutboundResult) => void) {
    this.#request = request;
    this.#settle = settle;
    this.#maxBytes = request.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES;
    this.#keepBytes = request.keepResponseBytes ?? DEFAULT_KEEP_RESPONSE_BYTES;
    this.#timer = setTimeout(onTimeout, request.timeoutMs, this);
    request.signal?.addEventListener('abort', this.abort, { once: true });
  }

  /** Records the connection that undici opens for this request, so that a timeout can destroy it while it opens. */
  onConnecting(connecting: Connecting | undefined): void {
    this.#connecting = connecting;
  }

  /** Ends the request with `aborted`, on behalf of the caller. */
  readonly abort = (): void => this.fail(new OutboundError('aborted', 'The request was aborted.'));

  /** Ends the request with an error and destroys its connection. */
  fail(error: Error): void {
    this.#settleFailure(error);
    if (this.#controller) this.#controller.abort(error);
    else this.#connecting?.socket.destroy(error);
  }

  /** Ends the request because its time is over. */
  timeOut(): void {
    const opening = this.#controller ? undefined : this.#connecting;
    this.fail(opening?.timeoutError() ?? new OutboundError('timeout', 'The request timed out.'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled)
      controller.abort(new OutboundError('aborted', 'The request ended before it was sent.'));
    else this.#request.onStart?.();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) {
      this.#interimResponses += 1;
      if (this.#interimResponses > MAX_INTERIM_RESPONSES) {
        this.fail(new OutboundError('http_protocol', 'Too many interim responses.'));
      }
      return;
    }
    this.#status = status;
    this.#allHeaders = headers;
    this.#headers = {
      contentType: first(headers['content-type']),
      retryAfter: first(headers['retry-after']),
      webhookDelivery: first(headers['webhook-delivery']),
      rateLimit: first(headers.ratelimit),
      rateLimitRemaining: first(headers['ratelimit-remaining']),
      rateLimitReset: first(headers['ratelimit-reset']),
    };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#bytes < this.#keepBytes) this.#kept.push(chunk.subarray(0, this.#keepBytes - this.#bytes));
    this.#bytes += chunk.length;
    if (this.#bytes <= this.#maxBytes) return;
    this.#settleResponse();
    controller.abort(new OutboundError('aborted', 'The response exceeds the maximum size.'));
  }

  onResponseEnd(): void {
    this.#settleResponse();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#settleFailure(error);
  }

  #settleResponse(): void {
    if (this.#status === undefined || this.#settled) return;
    const truncated = this.#bytes > this.#keepBytes;
    this.#finish({
      ok: true,
      status: this.#status,
      headers: this.#headers,
      allHeaders: this.#allHeaders,
      body: decode(this.#kept, truncated),
      truncated,
      durationMs: this.#durationMs(),
    });
  }

  #settleFailure(cause: Error): void {
    if (this.#settled) return;
    const error = outboundErrorCode(cause);
    this.#finish({ ok: false, error, status: this.#status, durationMs: this.#durationMs(), cause });
  }

  #finish(result: OutboundResult): void {
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener('abort', this.abort);
    this.#settle(result);
  }

  #durationMs(): number {
    return Math.round(performance.now() - this.#startedAt);
  }
}

const onTimeout = (handler: RequestHandler): void => handler.timeOut();

const first = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

/** Decodes UTF-8, replaces invalid bytes, and omits a character that truncation has split. */
function decode(parts: Buffer[], truncated: boolean): string {
  const [first = Buffer.alloc(0)] = parts;
  const bytes = parts.length > 1 ? Buffer.concat(parts) : first;
  return truncated ? new StringDecoder('utf8').write(bytes) : bytes.toString('utf8');
}
