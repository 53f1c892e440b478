/** Settings of a client. */
export interface ClientOptions {
  /** Address of the service, such as `https://engagement.example.com`; a path prefix is kept. */
  baseUrl: string;
  /** API key, `eg_…`. Keep it out of browser code: it gives access to all data of the customer. */
  apiKey: string;
  /** Customer to act for: the key's own, or any with an admin key. Operations on webhook endpoints require it. */
  customerId?: number | undefined;
  /** Time limit of one attempt, including the response body, in milliseconds; 30,000 by default. */
  timeoutMs?: number | undefined;
  /**
   * Maximum number of retries after the first attempt; 2 by default, 0 for none. A retry waits 0.25 to 8 s, or as long
   * as `Retry-After` asks for, up to a minute.
   */
  maxRetries?: number | undefined;
  /** Headers of every request, such as a header that a proxy requires. */
  headers?: Record<string, string> | undefined;
  /** Replaces the global `fetch`, for proxies, service bindings or instrumentation. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** Settings of one request; they override the client's settings. */
export interface RequestOptions {
  /** Customer to act for; any with an admin key. */
  customerId?: number | undefined;
  /** Aborts the request and its retries; the promise rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
  /** Time limit of one attempt, including the response body, in milliseconds. Limit the whole call with `signal`. */
  timeoutMs?: number | undefined;
  /** Maximum number of retries after the first attempt. */
  maxRetries?: number | undefined;
  /**
   * `Idempotency-Key` of a POST: within 24 hours, requests with the same key and body take effect once. By default the
   * client generates one per call, which covers its own retries. Set one, such as the id of an order, to cover
   * repeated calls as well. Requests of other methods ignore it.
   */
  idempotencyKey?: string | undefined;
  /** Further headers, such as `X-Request-Id`; they override the client's headers. */
  headers?: Record<string, string> | undefined;
}
