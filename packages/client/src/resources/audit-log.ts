import type { AuditEntry, ListAuditEntriesParams } from '../models.ts';
import type { RequestOptions } from '../options.ts';
import { byCursor, type ListPromise, requestList } from '../paging.ts';
import type { ApiPromise } from '../transport/api-promise.ts';
import type { HttpTransport } from '../transport/http-transport.ts';

const COLLECTION = '/api/v1/customers/{customerId}/audit-log';

/** Audit log of a customer: who changed what, and when. All operations require `customerId`. */
export class AuditLog {
  readonly #transport: HttpTransport;

  constructor(transport: HttpTransport) {
    this.#transport = transport;
  }

  /** Lists the entries, newest first, up to 200 a page. */
  list(query: ListAuditEntriesParams = {}, options?: RequestOptions): ListPromise<AuditEntry> {
    return requestList(this.#transport, {
      request: { method: 'GET', path: COLLECTION, query },
      options,
      continuation: byCursor<AuditEntry>,
    });
  }

  /** Returns an entry; rejects with `NOT_FOUND` if the customer has none with this id. */
  get(id: string, options?: RequestOptions): ApiPromise<AuditEntry> {
    return this.#transport.send({ method: 'GET', path: `${COLLECTION}/{id}`, params: { id } }, options);
  }
}
