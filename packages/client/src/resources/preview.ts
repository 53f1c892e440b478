import type {
  ConversationDetail,
  ConversationItem,
  CreateEventInput,
  ListConversationsParams,
  ListEventsParams,
  RecordedEvent,
} from '../models.ts';
import type { RequestOptions } from '../options.ts';
import { byLastItem, type ListPromise, requestList } from '../paging.ts';
import type { ApiPromise } from '../transport/api-promise.ts';
import type { HttpTransport } from '../transport/http-transport.ts';

/** The preview API: its schemas and paths can change in any version. An admin key requires `customerId`. */
export class Preview {
  /** Events of visitors. */
  readonly events: Events;
  /** Conversations of visitors. */
  readonly conversations: Conversations;

  constructor(transport: HttpTransport) {
    this.events = new Events(transport);
    this.conversations = new Conversations(transport);
  }
}

class Events {
  readonly #transport: HttpTransport;

  constructor(transport: HttpTransport) {
    this.#transport = transport;
  }

  /**
   * Records an event. A conversion requires `goal`, marks its conversation as converted and emits
   * `conversion.recorded`. Rejects with `NOT_FOUND` if the customer has no such conversation, and with `CONFLICT`
   * beyond the customer's limit on stored events.
   */
  create(body: CreateEventInput, options?: RequestOptions): ApiPromise<RecordedEvent> {
    return this.#transport.send({ method: 'POST', path: '/v1/events', body, namesCustomer: true }, options);
  }

  /** Lists the accepted events of custom types, newest first, up to 100 a page. Conversions are not among them. */
  list(query: ListEventsParams = {}, options?: RequestOptions): ListPromise<RecordedEvent> {
    return requestList(this.#transport, {
      request: { method: 'GET', path: '/v1/events', query, namesCustomer: true },
      options,
      continuation: byLastItem<RecordedEvent>,
    });
  }
}

class Conversations {
  readonly #transport: HttpTransport;

  constructor(transport: HttpTransport) {
    this.#transport = transport;
  }

  /** Lists conversations, latest start first, up to 100 a page. */
  list(query: ListConversationsParams = {}, options?: RequestOptions): ListPromise<ConversationItem> {
    return requestList(this.#transport, {
      request: { method: 'GET', path: '/v1/conversations', query, namesCustomer: true },
      options,
      continuation: byLastItem<ConversationItem>,
    });
  }

  /**
   * Returns a conversation with its transcript, identity and latest conversion; rejects with `NOT_FOUND` if there is
   * none.
   */
  get(conversationId: string, options?: RequestOptions): ApiPromise<ConversationDetail> {
    return this.#transport.send(
      {
        method: 'GET',
        path: '/v1/conversations/{conversation_id}',
        params: { conversation_id: conversationId },
        namesCustomer: true,
      },
      options,
    );
  }
}
