import type {
  AcknowledgeDriftAlertInput,
  CreateDriftPlannedChangeInput,
  DriftAlert,
  DriftAlertsParams,
  DriftCheck,
  DriftCheckResult,
  DriftFeature,
  DriftFeatureParams,
  DriftFeatureSetting,
  DriftHistoryParams,
  DriftModelParams,
  DriftMute,
  DriftMutesParams,
  DriftPerformance,
  DriftPerformanceParams,
  DriftPlannedChange,
  DriftPlannedChangesParams,
  DriftStage,
  DriftStatus,
  DriftStatusParams,
  MuteDriftFeatureInput,
  SetDriftFeatureSettingsInput,
  TriggerDriftCheckInput,
  UnmuteDriftFeatureInput,
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
  getStages(query: DriftModelParams = {}, options?: RequestOptions): ApiPromise<DriftStage[]> {
    return this.#transport.send({ method: 'GET', path: '/api/drift.getStages', query }, options);
  }

  /** Returns the performance of the model by week. */
  getPerformance(query: DriftPerformanceParams = {}, options?: RequestOptions): ApiPromise<DriftPerformance> {
    return this.#transport.send({ method: 'GET', path: '/api/drift.getPerformance', query }, options);
  }

  /** Returns the names of the models with samples. */
  getModels(options?: RequestOptions): ApiPromise<string[]> {
    return this.#transport.send({ method: 'GET', path: '/api/drift.getModels' }, options);
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
  getFeatureSettings(
    query: DriftModelParams = {},
    options?: RequestOptions,
  ): ApiPromise<DriftFeatureSetting[]> {
    return this.#transport.send({ method: 'GET', path: '/api/drift.getFeatureSettings', query }, options);
  }

  /** Replaces the weights and thresholds of all features. Requires an admin key. */
  setFeatureSettings(
    body: SetDriftFeatureSettingsInput,
    options?: RequestOptions,
  ): ApiPromise<DriftFeatureSetting[]> {
    return this.#transport.send({ method: 'POST', path: '/api/drift.setFeatureSettings', body }, options);
  }

  /** Returns drift alerts, latest detection first. Requires an admin key. */
  getAlerts(query: DriftAlertsParams = {}, options?: RequestOptions): ApiPromise<DriftAlert[]> {
    return this.#transport.send({ method: 'GET', path: '/api/drift.getAlerts', query }, options);
  }

  /** Acknowledges an alert, so that no reminders are sent. Requires an admin key. */
  acknowledgeAlert(body: AcknowledgeDriftAlertInput, options?: RequestOptions): ApiPromise<DriftAlert> {
    return this.#transport.send({ method: 'POST', path: '/api/drift.acknowledgeAlert', body }, options);
  }

  /** Removes the acknowledgement of an alert. Requires an admin key. */
  withdrawAcknowledgement(body: { id: string }, options?: RequestOptions): ApiPromise<DriftAlert> {
    return this.#transport.send(
      { method: 'POST', path: '/api/drift.withdrawAcknowledgement', body },
      options,
    );
  }

  /** Returns the muted features. Requires an admin key. */
  getMutes(query: DriftMutesParams = {}, options?: RequestOptions): ApiPromise<DriftMute[]> {
    return this.#transport.send({ method: 'GET', path: '/api/drift.getMutes', query }, options);
  }

  /** Mutes a feature: it raises no alert. Requires an admin key. */
  muteFeature(body: MuteDriftFeatureInput, options?: RequestOptions): ApiPromise<DriftMute> {
    return this.#transport.send({ method: 'POST', path: '/api/drift.muteFeature', body }, options);
  }

  /** Ends the mute of a feature. Requires an admin key. */
  unmuteFeature(body: UnmuteDriftFeatureInput, options?: RequestOptions): ApiPromise<DriftMute> {
    return this.#transport.send({ method: 'POST', path: '/api/drift.unmuteFeature', body }, options);
  }

  /** Returns the planned changes that overlap a time range. Requires an admin key. */
  getPlannedChanges(
    query: DriftPlannedChangesParams = {},
    options?: RequestOptions,
  ): ApiPromise<DriftPlannedChange[]> {
    return this.#transport.send({ method: 'GET', path: '/api/drift.getPlannedChanges', query }, options);
  }

  /** Creates a planned change, which annotates charts. Requires an admin key. */
  createPlannedChange(
    body: CreateDriftPlannedChangeInput,
    options?: RequestOptions,
  ): ApiPromise<DriftPlannedChange> {
    return this.#transport.send({ method: 'POST', path: '/api/drift.createPlannedChange', body }, options);
  }

  /** Deletes a planned change. Requires an admin key. */
  deletePlannedChange(body: { id: string }, options?: RequestOptions): ApiPromise<DriftPlannedChange> {
    return this.#transport.send({ method: 'POST', path: '/api/drift.deletePlannedChange', body }, options);
  }
}
