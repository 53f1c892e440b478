import type { RequestOptions } from './options.ts';
import { ApiPromise, type ApiResponse } from './transport/api-promise.ts';
import type { ApiRequest, Query } from './transport/api-request.ts';
import type { HttpTransport } from './transport/http-transport.ts';

/** One page of a list. Iterating over it yields its items, then the items of all later pages. */
export class Page<T> implements AsyncIterable<T> {
  /** Items of this page. */
  readonly data: readonly T[];
  readonly #next: (() => ListPromise<T>) | null;

  constructor(data: readonly T[], next: (() => ListPromise<T>) | null) {
    this.data = data;
    this.#next = next;
  }

  /** True if there is a next page. */
  get hasMore(): boolean {
    return this.#next !== null;
  }

  /** Requests the next page with the filters of this one; null if this is the last page. */
  nextPage(): ListPromise<T> | null {
    return this.#next?.() ?? null;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    let page: Page<T> | null = this;
    while (page) {
      yield* page.data;
      page = await page.nextPage();
    }
  }
}

/**
 * A list that is being requested. `await` returns its first page; `for await` yields the items of all pages and
 * requests each page when the loop reaches it.
 */
export class ListPromise<T> extends ApiPromise<Page<T>> implements AsyncIterable<T> {
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    yield* await this;
  }

  /** Yields the pages, and requests each one when the loop reaches it. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let page: Page<T> | null = await this;
    while (page) {
      yield page;
      page = await page.nextPage();
    }
  }
}

/** A response that contains a page. */
interface PageBody<T> {
  data: T[];
}

/** Returns the parameters that request the page after this one; null if it is the last page. */
type Continuation<T, B extends PageBody<T>> = (body: B) => Query | null;

/** Continues by the cursor of the response, as lists of `/api/v1` do. */
export const byCursor = <T>({ nextCursor }: PageBody<T> & { nextCursor: string | null }): Query | null =>
  nextCursor === null ? null : { cursor: nextCursor };

/** Continues after the last item, as lists of `/v1` do. */
export function byLastItem<T extends { id: string }>({
  data,
  has_more,
}: PageBody<T> & { has_more: boolean }): Query | null {
  const last = data.at(-1);
  return has_more && last ? { starting_after: last.id } : null;
}

/** Requests a list, beginning with the given page. */
export function requestList<T, B extends PageBody<T>>(
  transport: HttpTransport,
  { request, options, continuation }: ListRequest<T, B>,
): ListPromise<T> {
  const toPage = ({ data: body, ...response }: ApiResponse<B>): ApiResponse<Page<T>> => {
    const query = continuation(body);
    const next =
      query &&
      (() =>
        requestList(transport, {
          request: { ...request, query: { ...request.query, ...query } },
          options,
          continuation,
        }));
    return { ...response, data: new Page(body.data, next) };
  };
  return new ListPromise(transport.send<B>(request, options).withResponse().then(toPage));
}

interface ListRequest<T, B extends PageBody<T>> {
  request: ApiRequest;
  options: RequestOptions | undefined;
  continuation: Continuation<T, B>;
}
