import type { ListWebhookDeliveriesParams, WebhookDelivery, WebhookDeliveryDetail } from '../models.ts';
import type { RequestOptions } from '../options.ts';
import { byCursor, type ListPromise, requestList } from '../paging.ts';
import type { ApiPromise } from '../transport/api-promise.ts';
import type { HttpTransport } from '../transport/http-transport.ts';

const COLLECTION = '/api/v1/customers/{customerId}/webhook-endpoints/{endpointId}/deliveries';
const ITEM = `${COLLECTION}/{deliveryId}` as const;

/** Deliveries to a webhook endpoint. All operations require `customerId`. */
export class WebhookDeliveries {
  readonly #transport: HttpTransport;

  constructor(transport: HttpTransport) {
    this.#transport = transport;
  }

  /**
   * Lists the deliveries to an endpoint, newest first, up to 200 a page, without payload and attempts. Rejects with
   * `VALIDATION_FAILED` for filters that cannot be combined.
   */
  list(
    endpointId: number,
    query: ListWebhookDeliveriesParams = {},
    options?: RequestOptions,
  ): ListPromise<WebhookDelivery> {
    return requestList(this.#transport, {
      request: { method: 'GET', path: COLLECTION, params: { endpointId }, query },
      options,
      continuation: byCursor<WebhookDelivery>,
    });
  }

  /**
   * Returns a delivery with its payload and all attempts; rejects with `NOT_FOUND` if the endpoint has none with this
   * id.
   */
  get(endpointId: number, deliveryId: string, options?: RequestOptions): ApiPromise<WebhookDeliveryDetail> {
    return this.#transport.send({ method: 'GET', path: ITEM, params: { endpointId, deliveryId } }, options);
  }

  /**
   * Attempts a delivery once more, at once and outside the five scheduled attempts, and returns it before the attempt
   * has ended. A failure changes neither status nor schedule. Rejects with `CONFLICT` while an attempt is in progress
   * or the endpoint is disabled.
   */
  resend(endpointId: number, deliveryId: string, options?: RequestOptions): ApiPromise<WebhookDelivery> {
    return this.#transport.send(
      { method: 'POST', path: `${ITEM}/resend`, params: { endpointId, deliveryId } },
      options,
    );
  }
}
