import { hasCode } from '../../errors/app-error.ts';
import type { Logger } from '../../platform/logger.ts';
import { DEFAULT_MODEL } from '../../platform/sidecar-address.ts';
import { MAX_MODELS, MAX_STAGES } from '../../shared/drift-limits.ts';
import type { DriftAlerts } from './alerts/drift-alerts.ts';
import type { DriftService } from './drift.service.ts';

interface Deps {
  drift: Pick<DriftService, 'check' | 'models' | 'stages'>;
  alerts: Pick<DriftAlerts, 'driftedScopes' | 'endDriftOf'>;
  log: Logger;
}

/**
 * Creates the job that checks, for each model, all samples, each stage that has samples, and each stage whose drift is to
 * be cleared. The drift of a model that the sidecar no longer lists ends. One failure does not stop the others. A run
 * that is repeated, since its process died, counts once for the alerts.
 */
export function createScheduledChecks({ drift, alerts, log }: Deps) {
  return async (tick: Date): Promise<void> => {
    const failures: unknown[] = [];
    let steps = 0;
    async function attempt<T>(action: () => Promise<T>): Promise<T | null> {
      steps += 1;
      try {
        return await action();
      } catch (error) {
        // The samples of a stage can be removed after it is listed.
        if (!hasCode(error, 'NOT_FOUND')) failures.push(error);
        return null;
      }
    }

    const listedModels = await attempt(drift.models);
    const models = listedModels ?? [DEFAULT_MODEL];
    const drifted = (await attempt(alerts.driftedScopes)) ?? [];
    if (models.length > MAX_MODELS)
      log.warn({ models: models.length, checked: MAX_MODELS }, 'too many models for the scheduled checks');
    for (const model of models.slice(0, MAX_MODELS)) {
      await attempt(() => drift.check({ model }, tick));
      const listedStages = await attempt(() => drift.stages({ model }));
      const stages = (listedStages ?? []).map(({ stage }) => stage);
      if (stages.length > MAX_STAGES)
        log.warn(
          { model, stages: stages.length, checked: MAX_STAGES },
          'too many stages for the scheduled checks',
        );
      const toClear = drifted.filter((other) => other.model === model).map(({ stage }) => stage);
      for (const stage of new Set([...stages.slice(0, MAX_STAGES), ...toClear]))
        if (stage !== null) await attempt(() => drift.check({ model, stage }, tick));
    }
    for (const scope of drifted)
      if (listedModels && !models.includes(scope.model)) await attempt(() => alerts.endDriftOf(scope, tick));
    if (failures.length > 0)
      throw new Error(`${failures.length} of ${steps} steps of the scheduled checks failed`, {
        cause: failures[0],
      });
  };
}
