import type { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import type { Dispatcher } from 'undici';
import { OutboundError, outboundErrorCode } from './errors.ts';
import type { OutboundRequest, OutboundResult, ResponseHeaders } from './request.ts';

const MAX_RESPONSE_BYTES = 65_536;
const KEEP_RESPONSE_BYTES = 1_024;

/** Interim (1xx) responses that are put up with before the real one. */
const MAX_INTERIM_RESPONSES = 8;

/**
 * One request and its response, as the handler that undici calls (`agent.request` would make a stream and a
 * signal for each). Settles once; whatever comes after that only has its socket destroyed.
 */
export class Attempt implements Dispatcher.DispatchHandler {
  readonly #request: OutboundRequest;
  readonly #settle: (result: OutboundResult) => void;
  readonly #maxBytes: number;
  readonly #keepBytes: number;
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout;
  #settled = false;
  #opening: Socket | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #interimResponses = 0;
  #status: number | undefined;
  #headers: ResponseHeaders = {};
  #bytes = 0;
  #kept: Buffer[] = [];

  constructor(request: OutboundRequest, settle: (result: OutboundResult) => void) {
    this.#request = request;
    this.#settle = settle;
    this.#maxBytes = request.maxResponseBytes ?? MAX_RESPONSE_BYTES;
    this.#keepBytes = request.keepResponseBytes ?? KEEP_RESPONSE_BYTES;
    this.#timer = setTimeout(onTimeout, request.timeoutMs, this);
    request.signal?.addEventListener('abort', this.abort, { once: true });
  }

  /** A connection is being opened for this attempt, and for no other. */
  opens(socket: Socket | undefined): void {
    this.#opening = socket;
  }

  /** Ends the attempt as the caller's doing. */
  readonly abort = (): void => this.end(new OutboundError('aborted', 'The request was given up.'));

  /** Ends the attempt with an error, and its connection with it. */
  end(error: Error): void {
    this.#fail(error);
    if (this.#controller) this.#controller.abort(error);
    else this.#opening?.destroy(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled)
      controller.abort(new OutboundError('aborted', 'The attempt ended before it was sent.'));
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
        this.end(new OutboundError('http_protocol', 'Too many interim responses.'));
      }
      return;
    }
    this.#status = status;
    this.#headers = {
      contentType: first(headers['content-type']),
      retryAfter: first(headers['retry-after']),
    };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#bytes < this.#keepBytes) this.#kept.push(chunk.subarray(0, this.#keepBytes - this.#bytes));
    this.#bytes += chunk.length;
    if (this.#bytes <= this.#maxBytes) return;
    this.#succeed();
    controller.abort(new OutboundError('aborted', 'The rest of the response is not read.'));
  }

  onResponseEnd(): void {
    this.#succeed();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  #succeed(): void {
    if (this.#status === undefined || this.#settled) return;
    const truncated = this.#bytes > this.#keepBytes;
    this.#finish({
      ok: true,
      status: this.#status,
      headers: this.#headers,
      body: decode(this.#kept, truncated),
      truncated,
      durationMs: this.#duration(),
    });
  }

  #fail(cause: Error): void {
    if (this.#settled) return;
    const error = outboundErrorCode(cause);
    this.#finish({ ok: false, error, status: this.#status, durationMs: this.#duration(), cause });
  }

  #finish(result: OutboundResult): void {
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener('abort', this.abort);
    this.#settle(result);
  }

  #duration(): number {
    return Math.round(performance.now() - this.#startedAt);
  }
}

const onTimeout = (attempt: Attempt): void => attempt.end(new OutboundError('timeout', 'The time ran out.'));

const first = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

/** As UTF-8, invalid bytes replaced; a character that the limit cut in two is left out. */
function decode(parts: Buffer[], truncated: boolean): string {
  const [first = Buffer.alloc(0)] = parts;
  const bytes = parts.length > 1 ? Buffer.concat(parts) : first;
  return truncated ? new StringDecoder('utf8').write(bytes) : bytes.toString('utf8');
}
