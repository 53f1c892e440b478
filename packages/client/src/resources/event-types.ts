import type { EventType } from '../models.ts';
import type { RequestOptions } from '../options.ts';
import { byCursor, type ListPromise, requestList } from '../paging.ts';
import type { HttpTransport } from '../transport/http-transport.ts';

/** Types of events that webhook endpoints can receive. */
export class EventTypes {
  readonly #transport: HttpTransport;

  constructor(transport: HttpTransport) {
    this.#transport = transport;
  }

  /** Lists the event types, each with the JSON Schema of its data and an example. */
  list(options?: RequestOptions): ListPromise<EventType> {
    return requestList(this.#transport, {
      request: { method: 'GET', path: '/api/v1/event-types' },
      options,
      continuation: byCursor<EventType>,
    });
  }
}
