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

/**
 * Drift of the scoring model, which all customers share. The operations that read samples reject with `NOT_FOUND` for a
 * stage without samples, and with `SERVICE_UNAVAILABLE` while the ML sidecar is down.
 */
export class Drift {
  readonly #transport: HttpTransport;

  constructor(transport: HttpTransport) {
    this.#transport = transport;
  }

  /** Returns the drift as of the latest check of all samples, or of one funnel stage. */
  getStatus(query: DriftStatusParams = {}, options?: RequestOptions): ApiPromise<DriftStatus> {
    return this.#transport.send({ method: 'GET', path: '/api/drift.getStatus', query }, options);
  }

  /**
   * Computes the drift of one feature, with the histograms of both sets; rejects with `NOT_FOUND` for an unknown
   * feature.
   */
  getFeature(query: DriftFeatureParams, options?: RequestOptions): ApiPromise<DriftFeature> {
    return this.#transport.send({ method: 'GET', path: '/api/drift.getFeature', query }, options);
  }

  /** Returns the funnel stages that have samples, by name. */
  getStages(query: DriftModelParams = {}, options?: RequestOptions): ApiPromise<DriftStage[]> {
    return this.#transport.send({ method: 'GET', path: '/api/drift.getStages', query }, options);
  }

  /** Computes the performance of the model by week, up to 53 weeks; measures are from 0 to 1. */
  getPerformance(query: DriftPerformanceParams = {}, options?: RequestOptions): ApiPromise<DriftPerformance> {
    return this.#transport.send({ method: 'GET', path: '/api/drift.getPerformance', query }, options);
  }

  /** Returns the names of the models with samples, `default` first. */
  getModels(options?: RequestOptions): ApiPromise<string[]> {
    return this.#transport.send({ method: 'GET', path: '/api/drift.getModels' }, options);
  }

  /** Returns up to 200 completed checks, 50 by default, most recent first. Requires an admin key. */
  getHistory(query: DriftHistoryParams = {}, options?: RequestOptions): ApiPromise<DriftCheck[]> {
    return this.#transport.send({ method: 'GET', path: '/api/drift.getHistory', query }, options);
  }

  /**
   * Runs a check now, of one funnel stage or of all samples, and returns its result. With `at`, it repeats the check of
   * a past time, which changes neither status, history nor alerts. Requires an admin key.
   */
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

  /**
   * Replaces the weights and thresholds of all features: an omitted one has the default again. Requires an admin key.
   */
  setFeatureSettings(
    body: SetDriftFeatureSettingsInput,
    options?: RequestOptions,
  ): ApiPromise<DriftFeatureSetting[]> {
    return this.#transport.send({ method: 'POST', path: '/api/drift.setFeatureSettings', body }, options);
  }

  /** Returns up to 200 drift alerts, 50 by default, latest detection first. Requires an admin key. */
  getAlerts(query: DriftAlertsParams = {}, options?: RequestOptions): ApiPromise<DriftAlert[]> {
    return this.#transport.send({ method: 'GET', path: '/api/drift.getAlerts', query }, options);
  }

  /**
   * Acknowledges an alert, so that no reminders are sent until `until`, or until it clears. Rejects with `CONFLICT` if
   * it is cleared. Requires an admin key.
   */
  acknowledgeAlert(body: AcknowledgeDriftAlertInput, options?: RequestOptions): ApiPromise<DriftAlert> {
    return this.#transport.send({ method: 'POST', path: '/api/drift.acknowledgeAlert', body }, options);
  }

  /** Removes the acknowledgement of an alert, so that reminders are sent again. Requires an admin key. */
  withdrawAcknowledgement(body: { id: string }, options?: RequestOptions): ApiPromise<DriftAlert> {
    return this.#transport.send(
      { method: 'POST', path: '/api/drift.withdrawAcknowledgement', body },
      options,
    );
  }

  /** Returns the muted features, most recently muted first. Requires an admin key. */
  getMutes(query: DriftMutesParams = {}, options?: RequestOptions): ApiPromise<DriftMute[]> {
    return this.#transport.send({ method: 'GET', path: '/api/drift.getMutes', query }, options);
  }

  /**
   * Mutes a feature, so that its drift raises no alert until `until`, or until it is unmuted. Requires an admin key.
   */
  muteFeature(body: MuteDriftFeatureInput, options?: RequestOptions): ApiPromise<DriftMute> {
    return this.#transport.send({ method: 'POST', path: '/api/drift.muteFeature', body }, options);
  }

  /**
   * Ends the mute of a feature, and returns it; rejects with `NOT_FOUND` if the feature is not muted. Requires an admin
   * key.
   */
  unmuteFeature(body: UnmuteDriftFeatureInput, options?: RequestOptions): ApiPromise<DriftMute> {
    return this.#transport.send({ method: 'POST', path: '/api/drift.unmuteFeature', body }, options);
  }

  /**
   * Returns up to 200 planned changes that overlap a time range, 50 by default, latest start first. Requires an admin
   * key.
   */
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
