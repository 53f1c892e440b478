import type { Health } from './models.ts';
import type { ClientOptions, RequestOptions } from './options.ts';
import { ApiKeys } from './resources/api-keys.ts';
import { AuditLog } from './resources/audit-log.ts';
import { Customers } from './resources/customers.ts';
import { Drift } from './resources/drift.ts';
import { EventFeeds } from './resources/event-feeds.ts';
import { EventTypes } from './resources/event-types.ts';
import { Preview } from './resources/preview.ts';
import { Privacy } from './resources/privacy.ts';
import { PublishedEvents } from './resources/published-events.ts';
import { WebhookDeliveries } from './resources/webhook-deliveries.ts';
import { WebhookEndpoints } from './resources/webhook-endpoints.ts';
import type { ApiPromise } from './transport/api-promise.ts';
import { HttpTransport } from './transport/http-transport.ts';

/**
 * Client of the customer engagement service. Every method of its members sends one request, with retries, and rejects
 * with an `ApiError` for an error response, a `ConnectionError` if there is none, or a `TypeError` for an argument that
 * cannot be sent.
 *
 * @example
 * const client = new EngagementClient({ baseUrl: 'https://engagement.example.com', apiKey, customerId: 42 });
 * for await (const endpoint of client.webhookEndpoints.list()) console.log(endpoint.url);
 */
export class EngagementClient {
  /** Webhook endpoints. */
  readonly webhookEndpoints: WebhookEndpoints;
  /** Deliveries to webhook endpoints. */
  readonly webhookDeliveries: WebhookDeliveries;
  /** Published events, with their payloads and deliveries. */
  readonly events: PublishedEvents;
  /** Events in the order in which they were committed, to be pulled. */
  readonly eventFeeds: EventFeeds;
  /** Types of events. */
  readonly eventTypes: EventTypes;
  /** Events and conversations, a preview. */
  readonly preview: Preview;
  /** Drift of the scoring model. */
  readonly drift: Drift;
  /** Suspension of a customer, for admin keys. */
  readonly customers: Customers;
  /** API keys, for admin keys. */
  readonly apiKeys: ApiKeys;
  /** Audit log: who changed what, and when. */
  readonly auditLog: AuditLog;
  /** Erasure of people, and their suppression. */
  readonly privacy: Privacy;
  readonly #options: ClientOptions;
  readonly #transport: HttpTransport;

  /** @throws TypeError if an option is missing or invalid */
  constructor(options: ClientOptions) {
    this.#options = options;
    this.#transport = new HttpTransport(options);
    this.webhookEndpoints = new WebhookEndpoints(this.#transport);
    this.webhookDeliveries = new WebhookDeliveries(this.#transport);
    this.events = new PublishedEvents(this.#transport);
    this.eventFeeds = new EventFeeds(this.#transport);
    this.eventTypes = new EventTypes(this.#transport);
    this.preview = new Preview(this.#transport);
    this.drift = new Drift(this.#transport);
    this.customers = new Customers(this.#transport);
    this.apiKeys = new ApiKeys(this.#transport);
    this.auditLog = new AuditLog(this.#transport);
    this.privacy = new Privacy(this.#transport);
  }

  /** Returns a client with the same settings that acts for another customer. Requires an admin key. */
  forCustomer(customerId: number): EngagementClient {
    return new EngagementClient({ ...this.#options, customerId });
  }

  /**
   * Returns the health of the service and its dependencies, also while it is `down` (HTTP 503). Needs no valid key, and
   * is not retried unless `maxRetries` says so.
   */
  health(options?: RequestOptions): ApiPromise<Health> {
    return this.#transport.send(
      {
        method: 'GET',
        path: '/api/health',
        isPublic: true,
        isResult: (body) => typeof body === 'object' && body !== null && 'status' in body,
      },
      { maxRetries: 0, ...options },
    );
  }
}
