import { type ErrorDetail, hasCode, invalid, invalidInput } from '../../errors/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { DEFAULT_MODEL } from '../../platform/sidecar-address.ts';
import type { CheckScope } from './alerts/drift-alert.types.ts';
import type { DriftAlerts } from './alerts/drift-alerts.ts';
import {
  type CheckOptions,
  type CompletedCheck,
  type DriftCheck,
  type DriftCheckResult,
  type DriftFeatureDetail,
  type DriftPerformance,
  type DriftStage,
  type DriftStatus,
  type FeatureSetting,
  type HistoryOptions,
  MODEL_OUTPUTS,
  type ModelFilter,
  type StageFilter,
} from './drift.types.ts';
import type { SidecarClient } from './sidecar.client.ts';

/** A status or a completed check, for the metrics. */
export type DriftReading = Pick<
  DriftStatus,
  'stage' | 'driftScore' | 'isDrifted' | 'components' | 'featureDrifts'
>;

/** Receives what the service reads from the sidecar. */
export interface DriftObserver {
  /** Receives every status and every check. */
  onDrift(reading: DriftReading): void;
  /** Receives the stages that have samples. */
  onDriftStages(stages: readonly string[]): void;
  /** Called for a stage without samples. */
  onDriftStageRemoved(stage: string): void;
}

interface Deps {
  sidecar: SidecarClient;
  alerts: DriftAlerts;
  observer: DriftObserver;
  clock: Clock;
  log: Logger;
}

/** Creates the service for drift of the scoring model, which all tenants share. All data come from the sidecar. */
export function driftService({ sidecar, alerts, observer, clock, log }: Deps) {
  /** Returns the general threshold, which a sidecar may report in its status only; null if it is not available. */
  const generalThreshold = async ({ threshold }: CompletedCheck, model: string): Promise<number | null> =>
    threshold ??
    sidecar.status({ model }).then(
      (status) => status.threshold,
      () => null,
    );

  /** Records a check for the alerts. */
  async function recordForAlerts(
    check: CompletedCheck,
    scope: CheckScope,
    tick: Date | undefined,
  ): Promise<void> {
    const threshold = check.success ? await generalThreshold(check, scope.model) : null;
    if (threshold === null) return;
    await alerts.recordCheck(scope, check, { threshold, tick });
  }

  // The metrics show the default model alone: a series per model would change their labels.
  const observed = (model: string): DriftObserver | null => (model === DEFAULT_MODEL ? observer : null);

  /** Reads a status or check from the sidecar, and removes the metrics of a stage without samples. */
  async function reading<T>({ model, stage }: CheckScope, request: Promise<T>): Promise<T> {
    try {
      return await request;
    } catch (error) {
      if (stage !== null && hasCode(error, 'NOT_FOUND')) observed(model)?.onDriftStageRemoved(stage);
      throw error;
    }
  }

  const scopeOf = ({ model, stage }: StageFilter): CheckScope => ({
    model: model ?? DEFAULT_MODEL,
    stage: stage ?? null,
  });

  async function check(
    { reference, at, ...filter }: CheckOptions = {},
    tick?: Date,
  ): Promise<DriftCheckResult> {
    const scope = scopeOf(filter);
    const { model, stage } = scope;
    if (at != null) {
      if (at > clock.now()) throw invalid('at', 'Must not be in the future.');
      return sidecar.check({ ...scope, reference, at });
    }
    const check = await reading(scope, sidecar.check({ ...scope, reference })).catch(
      async (error: unknown) => {
        if (stage !== null && hasCode(error, 'NOT_FOUND')) await alerts.endDriftOf(scope, tick);
        throw error;
      },
    );
    const { success, driftScore, isDrifted } = check;
    observed(model)?.onDrift({ ...check, stage });
    log.info({ model, stage, success, driftScore, isDrifted }, 'drift checked');
    await recordForAlerts(check, scope, tick);
    return check;
  }

  return {
    /**
     * Returns the drift of all samples, or of a stage.
     * @throws AppError `SERVICE_UNAVAILABLE` if the sidecar is not available; `NOT_FOUND` for a stage without samples
     */
    async status(filter: StageFilter = {}): Promise<DriftStatus> {
      const scope = scopeOf(filter);
      const status = await reading(scope, sidecar.status(scope));
      observed(scope.model)?.onDrift(status);
      return status;
    },

    /**
     * Computes the drift of a feature from the samples, with its bins.
     * @throws AppError `SERVICE_UNAVAILABLE`; `NOT_FOUND` for an unknown feature or a stage without samples
     */
    async feature(of: StageFilter & { feature: string }): Promise<DriftFeatureDetail> {
      const [feature, driftedSince] = await Promise.all([
        sidecar.feature(of),
        alerts.driftedSince({ model: scopeOf(of).model, feature: of.feature }),
      ]);
      return { ...feature, driftedSince };
    },

    /** Lists the stages that have samples; null if the sidecar does not list them. @throws AppError `SERVICE_UNAVAILABLE` */
    async stages(filter: ModelFilter = {}): Promise<DriftStage[] | null> {
      const stages = await sidecar.stages(filter);
      if (stages) observed(filter.model ?? DEFAULT_MODEL)?.onDriftStages(stages.map(({ stage }) => stage));
      return stages;
    },

    /**
     * Returns the performance of the model by week.
     * @throws AppError `SERVICE_UNAVAILABLE`; `NOT_FOUND` for a stage without samples
     */
    performance: async (filter: StageFilter): Promise<DriftPerformance> =>
      (await sidecar.performance(filter)) ?? { isProbabilistic: null, weeks: [] },

    /** Lists the names of the models; only the default one if the sidecar does not list them. @throws AppError `SERVICE_UNAVAILABLE` */
    models: async (): Promise<string[]> => (await sidecar.models()) ?? [DEFAULT_MODEL],

    /** Lists past checks, newest first. @throws AppError `SERVICE_UNAVAILABLE` */
    async history(options: HistoryOptions): Promise<DriftCheck[]> {
      if (options.overall && options.stage != null)
        throw invalid('overall', 'Must not be true together with a stage.');
      return sidecar.history(options);
    },

    /**
     * Checks all samples, or one stage. A repeated check of a past time changes neither metrics nor alerts.
     *
     * @param tick scheduled time: a further check of a scope with the same one changes no alerts
     * @throws AppError `SERVICE_UNAVAILABLE`; `NOT_FOUND` for a stage without samples; `VALIDATION_FAILED` for a time in
     * the future
     */
    check,

    /** Lists the weights and thresholds of a model's features that have any. @throws AppError `SERVICE_UNAVAILABLE` */
    featureSettings: (filter: ModelFilter): Promise<FeatureSetting[]> => sidecar.featureSettings(filter),

    /** Replaces all weights and thresholds of a model. @throws AppError `VALIDATION_FAILED`, `SERVICE_UNAVAILABLE` */
    async setFeatureSettings(
      filter: ModelFilter,
      features: readonly FeatureSetting[],
    ): Promise<FeatureSetting[]> {
      requireValidSettings(features);
      const settings = await sidecar.setFeatureSettings(filter, features);
      log.info({ features: settings.length }, 'weights and thresholds of features replaced');
      return settings;
    },
  };
}

/**
 * Requires distinct features, and the weight 1 of those that are not part of the weighted mean.
 * @throws AppError VALIDATION_FAILED with a path such as `features.1.weight`
 */
function requireValidSettings(features: readonly FeatureSetting[]): void {
  const seen = new Set<string>();
  const details: ErrorDetail[] = features.flatMap(({ feature, weight }, index) => {
    const isRepeated = seen.has(feature);
    seen.add(feature);
    const issue = (field: string, message: string) => ({ path: `features.${index}.${field}`, message });
    return [
      ...(isRepeated ? [issue('feature', 'Must name each feature once.')] : []),
      ...(MODEL_OUTPUTS.includes(feature) && weight !== 1
        ? [issue('weight', `Must be 1: ${feature} is not part of the weighted mean.`)]
        : []),
    ];
  });
  if (details.length > 0) throw invalidInput(details);
}

export type DriftService = ReturnType<typeof driftService>;
