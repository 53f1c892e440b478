import type {
  CancelledWebhookBacklog,
  CreatedWebhookEndpoint,
  CreateWebhookEndpointInput,
  DeletedWebhookEndpoint,
  ListWebhookEndpointsParams,
  RecoveredDeliveries,
  RecoverWebhookDeliveriesInput,
  ReplayedDeliveries,
  ReplayWebhookDeliveriesInput,
  RetriedWebhookBacklog,
  RetryWebhookBacklogInput,
  RotatedWebhookSecret,
  RotateWebhookSecretInput,
  SendTestWebhookInput,
  UpdateWebhookEndpointInput,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookStatistics,
  WebhookStatisticsParams,
} from '../models.ts';
import type { RequestOptions } from '../options.ts';
import { byCursor, type ListPromise, requestList } from '../paging.ts';
import type { ApiPromise } from '../transport/api-promise.ts';
import type { HttpTransport } from '../transport/http-transport.ts';

const COLLECTION = '/api/v1/customers/{customerId}/webhook-endpoints';
const ITEM = `${COLLECTION}/{endpointId}` as const;

/** Webhook endpoints of a customer. All operations require `customerId`. */
export class WebhookEndpoints {
  readonly #transport: HttpTransport;

  constructor(transport: HttpTransport) {
    this.#transport = transport;
  }

  /**
   * Creates an endpoint. Its signing secret is in this response only; store it. Rejects with `CONFLICT` if the customer
   * has 50 endpoints, and with `VALIDATION_FAILED` for a URL that the service does not send to or that does not confirm
   * itself.
   */
  create(body: CreateWebhookEndpointInput, options?: RequestOptions): ApiPromise<CreatedWebhookEndpoint> {
    return this.#transport.send({ method: 'POST', path: COLLECTION, body }, options);
  }

  /** Lists the endpoints, newest first, up to 200 a page. */
  list(query: ListWebhookEndpointsParams = {}, options?: RequestOptions): ListPromise<WebhookEndpoint> {
    return requestList(this.#transport, {
      request: { method: 'GET', path: COLLECTION, query },
      options,
      continuation: byCursor<WebhookEndpoint>,
    });
  }

  /** Returns an endpoint; rejects with `NOT_FOUND` if the customer has none with this id. */
  get(endpointId: number, options?: RequestOptions): ApiPromise<WebhookEndpoint> {
    return this.#transport.send({ method: 'GET', path: ITEM, params: { endpointId } }, options);
  }

  /**
   * Returns the results of the attempts to an endpoint, in total and by hour or day: counts, success rate, and
   * quantiles of latencies in milliseconds. By default the last day by hour, or the last 30 days with `step: 'day'`; at
   * most 30 days by hour and 365 by day.
   */
  statistics(
    endpointId: number,
    query: WebhookStatisticsParams = {},
    options?: RequestOptions,
  ): ApiPromise<WebhookStatistics> {
    return this.#transport.send(
      { method: 'GET', path: `${ITEM}/statistics`, params: { endpointId }, query },
      options,
    );
  }

  /**
   * Changes an endpoint; an omitted field keeps its value. `enabled: false` cancels its open deliveries. With the
   * header `If-Match`, it rejects with `PRECONDITION_FAILED` if the endpoint has another entity tag.
   */
  update(
    endpointId: number,
    body: UpdateWebhookEndpointInput,
    options?: RequestOptions,
  ): ApiPromise<WebhookEndpoint> {
    return this.#transport.send({ method: 'PATCH', path: ITEM, params: { endpointId }, body }, options);
  }

  /**
   * Deletes an endpoint and cancels its open deliveries. A retry whose earlier attempt succeeded rejects with
   * `NOT_FOUND`.
   */
  delete(endpointId: number, options?: RequestOptions): ApiPromise<DeletedWebhookEndpoint> {
    return this.#transport.send({ method: 'DELETE', path: ITEM, params: { endpointId } }, options);
  }

  /**
   * Replaces the signing secret, and the key pair of an endpoint that signs with Ed25519. The previous ones sign as
   * well until `overlapSeconds` have passed; without it, they sign no attempt that begins after the response.
   */
  rotateSecret(
    endpointId: number,
    body: RotateWebhookSecretInput = {},
    options?: RequestOptions,
  ): ApiPromise<RotatedWebhookSecret> {
    return this.#transport.send(
      { method: 'POST', path: `${ITEM}/rotate-secret`, params: { endpointId }, body },
      options,
    );
  }

  /**
   * Sends all failed and cancelled deliveries of a time range of at most 30 days again, in batches after the response;
   * with `dryRun`, only counts them. Rejects with `CONFLICT` while a recovery or replay is in progress or the endpoint
   * is disabled.
   */
  recover(
    endpointId: number,
    body: RecoverWebhookDeliveriesInput,
    options?: RequestOptions,
  ): ApiPromise<RecoveredDeliveries> {
    return this.#transport.send(
      { method: 'POST', path: `${ITEM}/recover`, params: { endpointId }, body },
      options,
    );
  }

  /**
   * Sends a selection of deliveries again, succeeded ones too, in batches after the response; with `dryRun`, only
   * counts them. Requires `since`, `deliveryIds` or `eventIds`. Rejects with `CONFLICT` as `recover` does.
   */
  replay(
    endpointId: number,
    body: ReplayWebhookDeliveriesInput,
    options?: RequestOptions,
  ): ApiPromise<ReplayedDeliveries> {
    return this.#transport.send(
      { method: 'POST', path: `${ITEM}/replay`, params: { endpointId }, body },
      options,
    );
  }

  /**
   * Makes scheduled retries due now, for a receiver that is up again; with `dryRun`, only counts them. Each is the next
   * of the five attempts. Rejects with `CONFLICT` if the endpoint is disabled.
   */
  retryBacklog(
    endpointId: number,
    body: RetryWebhookBacklogInput = {},
    options?: RequestOptions,
  ): ApiPromise<RetriedWebhookBacklog> {
    return this.#transport.send(
      { method: 'POST', path: `${ITEM}/retry-backlog`, params: { endpointId }, body },
      options,
    );
  }

  /** Cancels the open deliveries that were accepted so far, except those in progress, and ends a recovery or replay. */
  cancelBacklog(endpointId: number, options?: RequestOptions): ApiPromise<CancelledWebhookBacklog> {
    return this.#transport.send(
      { method: 'POST', path: `${ITEM}/cancel-backlog`, params: { endpointId } },
      options,
    );
  }

  /**
   * Sends a sample event, by default the example of its type, with `test: true` in its data. Rejects with
   * `RATE_LIMITED` beyond 10 a minute per endpoint, and with `CONFLICT` if the endpoint is disabled.
   */
  sendTest(
    endpointId: number,
    body: SendTestWebhookInput,
    options?: RequestOptions,
  ): ApiPromise<WebhookDelivery> {
    return this.#transport.send(
      { method: 'POST', path: `${ITEM}/test`, params: { endpointId }, body },
      options,
    );
  }
}
