/** A result with the response that carried it. */
export interface ApiResponse<T> {
  /** Result of the operation. */
  data: T;
  /** HTTP status. */
  status: number;
  /** Headers of the response, such as `ETag` and `RateLimit-Remaining`. */
  headers: Headers;
  /** Id of the request in the log of the service; null if the response has none. */
  requestId: string | null;
}

/** Promise of a result. The request is sent at once; `withResponse` gives access to the headers of its response. */
export class ApiPromise<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = 'ApiPromise';
  readonly #response: Promise<ApiResponse<T>>;

  constructor(response: Promise<ApiResponse<T>>) {
    this.#response = response;
  }

  /** Returns the result together with the status, headers and id of the response. */
  withResponse(): Promise<ApiResponse<T>> {
    return this.#response;
  }

  // Composed rather than inherited: a base promise would reject unhandled when only `withResponse` is used.
  // biome-ignore lint/suspicious/noThenProperty: the class is a promise.
  then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#response.then(({ data }) => data).then(onFulfilled, onRejected);
  }

  catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(null, onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<T> {
    return this.then().finally(onFinally);
  }
}
