import type { Customer, CustomerDeletion, DeleteCustomerInput } from '../models.ts';
import type { RequestOptions } from '../options.ts';
import type { ApiPromise } from '../transport/api-promise.ts';
import type { HttpTransport } from '../transport/http-transport.ts';

const ITEM = '/api/v1/customers/{customer}';

/** Customers of the service. All operations require an admin key. */
export class Customers {
  readonly #transport: HttpTransport;

  constructor(transport: HttpTransport) {
    this.#transport = transport;
  }

  /** Suspends a customer: requests with its keys are refused with `CUSTOMER_SUSPENDED`, and its deliveries wait. */
  suspend(customer: number, options?: RequestOptions): ApiPromise<Customer> {
    return this.#transport.send({ method: 'POST', path: `${ITEM}/suspend`, params: { customer } }, options);
  }

  /** Lifts the suspension of a customer. */
  resume(customer: number, options?: RequestOptions): ApiPromise<Customer> {
    return this.#transport.send({ method: 'POST', path: `${ITEM}/resume`, params: { customer } }, options);
  }

  /**
   * Deletes a customer with everything that belongs to it, which cannot be undone; with `dryRun`, only counts it. `orgId`
   * repeats the customer's organization id. The customer is removed in the background: poll it with `getDeletion`.
   */
  delete(
    customer: number,
    body: DeleteCustomerInput,
    options?: RequestOptions,
  ): ApiPromise<CustomerDeletion> {
    return this.#transport.send(
      { method: 'POST', path: `${ITEM}/deletion`, params: { customer }, body },
      options,
    );
  }

  /** Returns the deletion of a customer, also after its end, or else its latest dry run. */
  getDeletion(customer: number, options?: RequestOptions): ApiPromise<CustomerDeletion> {
    return this.#transport.send({ method: 'GET', path: `${ITEM}/deletion`, params: { customer } }, options);
  }
}
