import type {
  AcknowledgeEventFeedInput,
  EventFeed,
  EventFeedPage,
  PullEventFeedParams,
  SeekEventFeedInput,
} from '../models.ts';
import type { RequestOptions } from '../options.ts';
import type { ApiPromise } from '../transport/api-promise.ts';
import type { HttpTransport } from '../transport/http-transport.ts';

const FEED = '/api/v1/customers/{customerId}/event-feeds/{name}';

/** Time limit of an attempt besides the wait for an event. Milliseconds. */
const TIMEOUT_MS = 30_000;

/** Event feeds of a customer, for clients that pull their events. All operations require `customerId`. */
export class EventFeeds {
  readonly #transport: HttpTransport;

  constructor(transport: HttpTransport) {
    this.#transport = transport;
  }

  /**
   * Returns the events after the acknowledged position of a feed; with `wait`, waits for one if there is none. By default,
   * the time limit of an attempt is 30 s more than the wait.
   */
  pull(name: string, query: PullEventFeedParams = {}, options?: RequestOptions): ApiPromise<EventFeedPage> {
    const timeoutMs = TIMEOUT_MS + (query.wait ?? 0) * 1_000;
    return this.#transport.send(
      { method: 'GET', path: FEED, params: { name }, query },
      { timeoutMs, ...options },
    );
  }

  /** Moves the acknowledged position to the cursor of a page, once its events are processed. */
  ack(name: string, body: AcknowledgeEventFeedInput, options?: RequestOptions): ApiPromise<EventFeed> {
    return this.#transport.send({ method: 'POST', path: `${FEED}/ack`, params: { name }, body }, options);
  }

  /** Sets the acknowledged position: to `beginning`, `end`, a time or a cursor. */
  seek(name: string, body: SeekEventFeedInput, options?: RequestOptions): ApiPromise<EventFeed> {
    return this.#transport.send({ method: 'POST', path: `${FEED}/seek`, params: { name }, body }, options);
  }
}
