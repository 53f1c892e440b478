import type { DeliveryExplanation, ListPublishedEventsParams, PublishedEvent } from '../models.ts';
import type { RequestOptions } from '../options.ts';
import { byCursor, type ListPromise, requestList } from '../paging.ts';
import type { ApiPromise } from '../transport/api-promise.ts';
import type { HttpTransport } from '../transport/http-transport.ts';

const COLLECTION = '/api/v1/customers/{customerId}/events';
const ITEM = `${COLLECTION}/{eventId}` as const;

/** Published events, whether an endpoint receives them or not. All operations require `customerId`. */
export class PublishedEvents {
  readonly #transport: HttpTransport;

  constructor(transport: HttpTransport) {
    this.#transport = transport;
  }

  /** Lists the published events with their payloads and deliveries, newest first, up to 200 a page. */
  list(query: ListPublishedEventsParams = {}, options?: RequestOptions): ListPromise<PublishedEvent> {
    return requestList(this.#transport, {
      request: { method: 'GET', path: COLLECTION, query },
      options,
      continuation: byCursor<PublishedEvent>,
    });
  }

  /**
   * Returns an event with its payload and its deliveries; rejects with `NOT_FOUND` if the customer has none with this
   * id.
   */
  get(eventId: string, options?: RequestOptions): ApiPromise<PublishedEvent> {
    return this.#transport.send({ method: 'GET', path: ITEM, params: { eventId } }, options);
  }

  /**
   * Explains why an endpoint received an event, or did not. An unknown event is the reason `no_such_event`, not an
   * error. Rejects with `NOT_FOUND` if neither the endpoint nor a delivery to it exists.
   */
  explain(
    eventId: string,
    query: { endpointId: number },
    options?: RequestOptions,
  ): ApiPromise<DeliveryExplanation> {
    return this.#transport.send(
      { method: 'GET', path: `${ITEM}/explain`, params: { eventId }, query },
      options,
    );
  }
}
