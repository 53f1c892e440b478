import type {
  DriftCheck,
  DriftCheckResult,
  DriftHistoryParams,
  DriftStatus,
  TriggerDriftCheckInput,
} from '../models.ts';
import type { RequestOptions } from '../options.ts';
import type { ApiPromise } from '../transport/api-promise.ts';
import type { HttpTransport } from '../transport/http-transport.ts';

/** Drift of the scoring model, which all customers share. */
export class Drift {
  readonly #transport: HttpTransport;

  constructor(transport: HttpTransport) {
    this.#transport = transport;
  }

  /** Returns the drift by the latest overall check. */
  getStatus(options?: RequestOptions): ApiPromise<DriftStatus> {
    return this.#transport.send({ method: 'GET', path: '/api/drift.getStatus' }, options);
  }

  /** Returns completed checks, most recent first. Requires an admin key. */
  getHistory(query: DriftHistoryParams = {}, options?: RequestOptions): ApiPromise<DriftCheck[]> {
    return this.#transport.send({ method: 'GET', path: '/api/drift.getHistory', query }, options);
  }

  /** Runs a check now, of one funnel stage or of all samples. Requires an admin key. */
  triggerCheck(body: TriggerDriftCheckInput = {}, options?: RequestOptions): ApiPromise<DriftCheckResult> {
    return this.#transport.send({ method: 'POST', path: '/api/drift.triggerCheck', body }, options);
  }
}
