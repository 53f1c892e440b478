import type {
  DeleteMeetingParams,
  Deletion,
  ErasePeopleInput,
  ErasePersonInput,
  Erasure,
  ExportCustomerParams,
  ExportLine,
  ListErasuresParams,
  ListSuppressionsParams,
  PreviewRetentionParams,
  Retention,
  RetentionCounts,
  StartedErasures,
  Suppression,
  UpdateRetentionInput,
} from '../models.ts';
import type { RequestOptions } from '../options.ts';
import { byCursor, type ListPromise, requestList } from '../paging.ts';
import type { ApiPromise } from '../transport/api-promise.ts';
import type { HttpTransport } from '../transport/http-transport.ts';

const CUSTOMER = '/api/v1/customers/{customerId}';

/** Personal data of a customer. All operations require `customerId`. */
export class Privacy {
  readonly #transport: HttpTransport;

  constructor(transport: HttpTransport) {
    this.#transport = transport;
  }

  /**
   * Erases a person, which cannot be undone; with `dryRun`, only counts what would be erased. Waits up to three seconds
   * for the end: if the result is still `running`, poll it with `getErasure`.
   */
  erasePerson(body: ErasePersonInput, options?: RequestOptions): ApiPromise<Erasure> {
    return this.#transport.send({ method: 'POST', path: `${CUSTOMER}/erasures`, body }, options);
  }

  /**
   * Erases up to 1,000 people, each with an erasure of its own, and does not wait for their end. Returns the ids of the
   * erasures in the order of the people.
   */
  erasePeople(body: ErasePeopleInput, options?: RequestOptions): ApiPromise<StartedErasures> {
    return this.#transport.send({ method: 'POST', path: `${CUSTOMER}/erasure-batches`, body }, options);
  }

  /** Returns an erasure: its progress, and after its end its receipt. Rejects with `NOT_FOUND` if there is none. */
  getErasure(erasureId: string, options?: RequestOptions): ApiPromise<Erasure> {
    return this.#transport.send(
      { method: 'GET', path: `${CUSTOMER}/erasures/{erasureId}`, params: { erasureId } },
      options,
    );
  }

  /** Lists the erasures, newest first. */
  listErasures(query: ListErasuresParams = {}, options?: RequestOptions): ListPromise<Erasure> {
    return requestList(this.#transport, {
      request: { method: 'GET', path: `${CUSTOMER}/erasures`, query },
      options,
      continuation: byCursor<Erasure>,
    });
  }

  /** Lists the suppressed identifiers as hashes, newest first. */
  listSuppressions(query: ListSuppressionsParams = {}, options?: RequestOptions): ListPromise<Suppression> {
    return requestList(this.#transport, {
      request: { method: 'GET', path: `${CUSTOMER}/suppressions`, query },
      options,
      continuation: byCursor<Suppression>,
    });
  }

  /**
   * Lifts the suppression of one identifier, and returns the entry: later data with it is stored as a whole again, and a
   * meeting by the next sync that lists it. Rejects with `NOT_FOUND` if there is none.
   */
  liftSuppression(suppressionId: string, options?: RequestOptions): ApiPromise<Suppression> {
    return this.#transport.send(
      { method: 'DELETE', path: `${CUSTOMER}/suppressions/{suppressionId}`, params: { suppressionId } },
      options,
    );
  }

  /**
   * Deletes a conversation with its messages, records, events, deliveries and custom events, and the stored answers to
   * requests with an idempotency key that name it, which cannot be undone. Waits for requests that began earlier; rejects
   * with `SERVICE_UNAVAILABLE` if that takes more than 20 seconds: a repetition deletes the rest. Rejects with `NOT_FOUND`
   * if there is none, also at a retry whose earlier attempt succeeded.
   */
  deleteConversation(conversationId: string, options?: RequestOptions): ApiPromise<Deletion> {
    return this.#transport.send(
      { method: 'DELETE', path: `${CUSTOMER}/conversations/{conversationId}`, params: { conversationId } },
      options,
    );
  }

  /**
   * Deletes a stored meeting with its transcript, and suppresses it: later syncs do not store it. With `suppress: false`, a
   * later sync stores it again if the provider still lists it. Waits for work that may still store it; rejects with
   * `SERVICE_UNAVAILABLE` if that takes more than 20 seconds: a repetition deletes it. Rejects with `NOT_FOUND` if there is
   * none, also at a retry whose earlier attempt succeeded.
   */
  deleteMeeting(
    meetingId: string,
    query: DeleteMeetingParams = {},
    options?: RequestOptions,
  ): ApiPromise<Deletion> {
    return this.#transport.send(
      { method: 'DELETE', path: `${CUSTOMER}/meetings/{meetingId}`, params: { meetingId }, query },
      options,
    );
  }

  /**
   * Streams everything of the customer, or what is stored about a person, in one request without retries. Throws a
   * `ConnectionError` if the response ends early; to continue, pass the last `cursor`: rows behind it are sent again.
   */
  export(query: ExportCustomerParams = {}, options?: RequestOptions): AsyncGenerator<ExportLine> {
    return this.#transport.lines<ExportLine>(
      { method: 'GET', path: `${CUSTOMER}/export`, query },
      (line) => 'end' in line,
      options,
    );
  }

  /** Returns the retention times, and what the latest run has removed. */
  getRetention(options?: RequestOptions): ApiPromise<Retention> {
    return this.#transport.send({ method: 'GET', path: `${CUSTOMER}/retention` }, options);
  }

  /** Counts what a run with these times would remove now, up to 10,000 of each kind; absent times are as set. */
  previewRetention(
    query: PreviewRetentionParams = {},
    options?: RequestOptions,
  ): ApiPromise<RetentionCounts> {
    return this.#transport.send({ method: 'GET', path: `${CUSTOMER}/retention/preview`, query }, options);
  }

  /** Changes retention times in days; those that are absent stay, null removes one. Expired data is removed. */
  updateRetention(body: UpdateRetentionInput, options?: RequestOptions): ApiPromise<Retention> {
    return this.#transport.send({ method: 'PATCH', path: `${CUSTOMER}/retention`, body }, options);
  }
}
