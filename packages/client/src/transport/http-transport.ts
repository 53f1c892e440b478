import { ApiError, ConnectionError, RequestTimeoutError } from '../errors.ts';
import type { ClientOptions, RequestOptions } from '../options.ts';
import { VERSION } from '../version.ts';
import { ApiPromise, type ApiResponse } from './api-promise.ts';
import { type ApiRequest, bodyOf, targetOf } from './api-request.ts';
import { retryDelayMs, wait } from './retry-policy.ts';

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_RETRIES = 2;
/** Maximum delay of `setTimeout`; a longer one fires at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

const CLIENT = `engagement-client/${VERSION}`;
// Not in a browser: it sends its own User-Agent, and the service's CORS rules would have to permit another header.
const IDENTIFICATION: Record<string, string> =
  'document' in globalThis ? {} : { 'user-agent': CLIENT, 'x-client-version': CLIENT };

/** Sends requests with the settings of a client: authentication, time limit, retries, errors. */
export class HttpTransport {
  readonly #options: ClientOptions;
  readonly #baseUrl: string;

  /** @throws TypeError if an option is missing or invalid */
  constructor(options: ClientOptions) {
    const { baseUrl, apiKey } = options;
    const { protocol, username, password } = URL.canParse(baseUrl) ? new URL(baseUrl) : {};
    if (!/^https?:$/.test(protocol ?? '') || username || password) {
      throw new TypeError('baseUrl must be an absolute http: or https: URL without credentials.');
    }
    // Checked here because the error of `Headers` would quote the key.
    if (!/^[\x21-\x7e]+$/.test(apiKey ?? '')) {
      throw new TypeError('apiKey must be a key of the service, eg_…, without spaces or line breaks.');
    }
    this.#options = options;
    this.#baseUrl = baseUrl.replace(/[?#].*$/s, '').replace(/\/+$/, '');
  }

  /** Sends a request, with retries, and parses its response. */
  send<T>(request: ApiRequest, options: RequestOptions = {}): ApiPromise<T> {
    return new ApiPromise<T>(this.#sendWithRetries<T>(request, options));
  }

  /**
   * Sends a request once, and returns the JSON lines of its response as they arrive. Neither retries nor `timeoutMs` apply.
   * Throws a ConnectionError if the response ends before its last line.
   */
  async *lines<T>(
    request: ApiRequest,
    isLast: (line: T) => boolean,
    { signal, ...options }: RequestOptions = {},
  ): AsyncGenerator<T> {
    const { fetch = globalThis.fetch } = this.#options;
    const url = this.#baseUrl + targetOf(request, this.#customerOf(options));
    const init = { method: request.method, headers: this.#headersOf(request, options) };
    const failed = (cause: unknown) => {
      signal?.throwIfAborted();
      return new ConnectionError(`The request to ${this.#baseUrl} failed: ${reasonOf(cause)}.`, { cause });
    };
    const response = await fetch(url, { ...init, signal: signal ?? null, redirect: 'manual' }).catch(
      (cause: unknown) => {
        throw failed(cause);
      },
    );
    const { status, headers, body } = response;
    if (!response.ok || !body) throw new ApiError({ status, headers, body: parsed(await response.text()) });
    const reader = body.getReader();
    const decoder = new TextDecoder();
    let rest = '';
    let isComplete = false;
    try {
      for (;;) {
        const { done, value } = await reader.read().catch((cause: unknown) => {
          throw failed(cause);
        });
        if (done && isComplete) return;
        if (done)
          throw new ConnectionError(`The response of ${this.#baseUrl} ended before its last line.`, {});
        const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
        rest = lines.pop() ?? '';
        for (const text of lines) {
          const line = JSON.parse(text) as T;
          isComplete = isLast(line);
          yield line;
        }
      }
    } finally {
      await reader.cancel().catch(() => {});
    }
  }

  async #sendWithRetries<T>(request: ApiRequest, options: RequestOptions): Promise<ApiResponse<T>> {
    const url = this.#baseUrl + targetOf(request, this.#customerOf(options));
    const init = {
      method: request.method,
      headers: this.#headersOf(request, options),
      body: bodyOf(request),
    };
    const maxRetries = options.maxRetries ?? this.#options.maxRetries ?? DEFAULT_MAX_RETRIES;
    const timeoutMs = options.timeoutMs ?? this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    if (!(timeoutMs > 0)) throw new TypeError(`timeoutMs must be a number above 0, not ${timeoutMs}.`);
    for (let retry = 0; ; retry += 1) {
      try {
        const { response, text } = await this.#attempt(url, init, { signal: options.signal, timeoutMs });
        return resultOf<T>(request, response, text);
      } catch (error) {
        const delayMs = retry < maxRetries ? retryDelayMs(error, retry) : null;
        if (delayMs === null) throw error;
        await wait(delayMs, options.signal);
      }
    }
  }

  #customerOf({ customerId = this.#options.customerId }: RequestOptions): number | undefined {
    return customerId;
  }

  #headersOf({ method, body, namesCustomer, isPublic }: ApiRequest, options: RequestOptions): Headers {
    const customerId = this.#customerOf(options);
    const headers = new Headers({ accept: 'application/json', ...IDENTIFICATION });
    if (!isPublic) headers.set('authorization', `Bearer ${this.#options.apiKey}`);
    if (body) headers.set('content-type', 'application/json');
    if (namesCustomer && customerId !== undefined) headers.set('x-customer-id', String(customerId));
    if (method === 'POST') headers.set('idempotency-key', options.idempotencyKey ?? randomKey());
    for (const [name, value] of Object.entries({ ...this.#options.headers, ...options.headers })) {
      headers.set(name, value);
    }
    return headers;
  }

  async #attempt(
    url: string,
    init: RequestInit,
    { signal, timeoutMs }: { signal: AbortSignal | undefined; timeoutMs: number },
  ): Promise<{ response: Response; text: string }> {
    signal?.throwIfAborted();
    const controller = new AbortController();
    const abort = () => controller.abort();
    const timer = setTimeout(abort, Math.min(timeoutMs, MAX_TIMEOUT_MS));
    signal?.addEventListener('abort', abort);
    try {
      const { fetch = globalThis.fetch } = this.#options;
      // The service sends no redirects, and following one could send the body to another host.
      const response = await fetch(url, { ...init, signal: controller.signal, redirect: 'manual' });
      return { response, text: await response.text() };
    } catch (cause) {
      signal?.throwIfAborted();
      if (controller.signal.aborted) throw new RequestTimeoutError(timeoutMs);
      throw new ConnectionError(`The request to ${this.#baseUrl} failed: ${reasonOf(cause)}.`, { cause });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }
}

/** @throws ApiError if the response is not a result */
function resultOf<T>({ isResult }: ApiRequest, response: Response, text: string): ApiResponse<T> {
  const { status, headers } = response;
  const body = parsed(text);
  const isJson = typeof body !== 'string';
  if (!isJson || !(response.ok || isResult?.(body))) throw new ApiError({ status, headers, body });
  return { data: body as T, status, headers, requestId: headers.get('x-request-id') };
}

/** Returns the JSON of a body; the text if it is not JSON. No operation has a string as its result. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Returns the reason of a failed connection. Node.js keeps it in `cause`: a code such as `ECONNREFUSED`, or a message.
 */
function reasonOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message?: string };
  return cause?.code ?? cause?.message ?? message ?? String(error);
}

/** Returns 128 random bits. `randomUUID` does not exist on plain HTTP pages. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
