import type {
  AcknowledgeEventFeedInput,
  EventFeed,
  EventFeedPage,
  EventFeedStatus,
  PullEventFeedParams,
  SeekEventFeedInput,
} from '../models.ts';
import type { RequestOptions } from '../options.ts';
import { byCursor, type ListPromise, requestList } from '../paging.ts';
import type { ApiPromise } from '../transport/api-promise.ts';
import type { HttpTransport } from '../transport/http-transport.ts';

const FEEDS = '/api/v1/customers/{customerId}/event-feeds';
const FEED = `${FEEDS}/{name}`;

/** Time limit of an attempt besides the wait for an event. Milliseconds. */
const TIMEOUT_MS = 30_000;

/** Event feeds of a customer, for clients that pull their events. All operations require `customerId`. */
export class EventFeeds {
  readonly #transport: HttpTransport;

  constructor(transport: HttpTransport) {
    this.#transport = transport;
  }

  /** Lists the feeds by name on a single page, each with its consumer, its position and how far that is behind. */
  list(options?: RequestOptions): ListPromise<EventFeedStatus> {
    return requestList(this.#transport, {
      request: { method: 'GET', path: FEEDS },
      options,
      continuation: byCursor<EventFeedStatus>,
    });
  }

  /**
   * Returns up to 100 events after the acknowledged position of a feed, oldest first; with `wait`, waits up to 30 s for
   * one if there is none. The first pull creates the feed. The time limit of an attempt is 30 s more than the wait,
   * unless `options` has another.
   *
   * Rejects with `CONFLICT` while another consumer holds the feed, or if the customer has 100 feeds; with `POSITION_GONE` if
   * retention has removed events after the position: `seek` to another one.
   */
  pull(name: string, query: PullEventFeedParams = {}, options?: RequestOptions): ApiPromise<EventFeedPage> {
    const timeoutMs = TIMEOUT_MS + (query.wait ?? 0) * 1_000;
    return this.#transport.send(
      { method: 'GET', path: FEED, params: { name }, query },
      { timeoutMs, ...options },
    );
  }

  /**
   * Moves the acknowledged position forward to the cursor of a page, once its events are processed, and holds the feed
   * for 15 s more. A cursor before the position changes nothing. Rejects with `CONFLICT` while another consumer holds
   * the feed.
   */
  ack(name: string, body: AcknowledgeEventFeedInput, options?: RequestOptions): ApiPromise<EventFeed> {
    return this.#transport.send({ method: 'POST', path: `${FEED}/ack`, params: { name }, body }, options);
  }

  /**
   * Sets the acknowledged position to `beginning`, `end`, a time or a cursor, and creates the feed if it does not
   * exist. Rejects with `CONFLICT` while another consumer holds the feed, and with `POSITION_GONE` for a cursor whose
   * events are removed.
   */
  seek(name: string, body: SeekEventFeedInput, options?: RequestOptions): ApiPromise<EventFeed> {
    return this.#transport.send({ method: 'POST', path: `${FEED}/seek`, params: { name }, body }, options);
  }

  /**
   * Deletes a feed and returns its last position; its events stay stored. Rejects with `CONFLICT` while another consumer
   * holds the feed.
   */
  delete(name: string, options?: RequestOptions): ApiPromise<EventFeed> {
    return this.#transport.send({ method: 'DELETE', path: FEED, params: { name } }, options);
  }
}
