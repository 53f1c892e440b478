import type {
  DriftCheck,
  DriftCheckResult,
  DriftFeature,
  DriftFeatureParams,
  DriftFeatureSetting,
  DriftHistoryParams,
  DriftStage,
  DriftStatus,
  DriftStatusParams,
  SetDriftFeatureSettingsInput,
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

  /** Returns the drift by the latest check of all samples, or of one funnel stage. */
  getStatus(query: DriftStatusParams = {}, options?: RequestOptions): ApiPromise<DriftStatus> {
    return this.#transport.send({ method: 'GET', path: '/api/drift.getStatus', query }, options);
  }

  /** Returns the drift of one feature with the histograms of both sets. */
  getFeature(query: DriftFeatureParams, options?: RequestOptions): ApiPromise<DriftFeature> {
    return this.#transport.send({ method: 'GET', path: '/api/drift.getFeature', query }, options);
  }

  /** Returns the funnel stages that have samples. */
  getStages(options?: RequestOptions): ApiPromise<DriftStage[]> {
    return this.#transport.send({ method: 'GET', path: '/api/drift.getStages' }, options);
  }

  /** Returns completed checks, most recent first. Requires an admin key. */
  getHistory(query: DriftHistoryParams = {}, options?: RequestOptions): ApiPromise<DriftCheck[]> {
    return this.#transport.send({ method: 'GET', path: '/api/drift.getHistory', query }, options);
  }

  /** Runs a check now, of one funnel stage or of all samples. Requires an admin key. */
  triggerCheck(body: TriggerDriftCheckInput = {}, options?: RequestOptions): ApiPromise<DriftCheckResult> {
    return this.#transport.send({ method: 'POST', path: '/api/drift.triggerCheck', body }, options);
  }

  /** Returns the features with a weight or threshold of their own. Requires an admin key. */
  getFeatureSettings(options?: RequestOptions): ApiPromise<DriftFeatureSetting[]> {
    return this.#transport.send({ method: 'GET', path: '/api/drift.getFeatureSettings' }, options);
  }

  /** Replaces the weights and thresholds of all features. Requires an admin key. */
  setFeatureSettings(
    body: SetDriftFeatureSettingsInput,
    options?: RequestOptions,
  ): ApiPromise<DriftFeatureSetting[]> {
    return this.#transport.send({ method: 'POST', path: '/api/drift.setFeatureSettings', body }, options);
  }
}
