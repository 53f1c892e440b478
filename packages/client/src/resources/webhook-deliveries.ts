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

  /** Lists the deliveries to an endpoint, newest first, without payload and attempts. */
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

  /** Returns a delivery with its payload and all attempts. */
  get(endpointId: number, deliveryId: string, options?: RequestOptions): ApiPromise<WebhookDeliveryDetail> {
    return this.#transport.send({ method: 'GET', path: ITEM, params: { endpointId, deliveryId } }, options);
  }

  /** Attempts a delivery once more, at once and outside the schedule. */
  resend(endpointId: number, deliveryId: string, options?: RequestOptions): ApiPromise<WebhookDelivery> {
    return this.#transport.send(
      { method: 'POST', path: `${ITEM}/resend`, params: { endpointId, deliveryId } },
      options,
    );
  }
}
