import { hasCode } from '../../errors/app-error.ts';
import type { Logger } from '../../platform/logger.ts';
import type { DriftService } from './drift.service.ts';

/** Maximum number of stages per run: as many as the reference sidecar accepts. */
const MAX_STAGES = 50;

interface Deps {
  drift: Pick<DriftService, 'check' | 'stages'>;
  /** Stages with drift that is not cleared. */
  driftedStages: () => Promise<{ stage: string }[]>;
  log: Logger;
}

/**
 * Creates the job that checks all samples, each stage that has samples, and each stage whose drift is to be cleared. One
 * failure does not stop the others.
 */
export function createScheduledChecks({ drift, driftedStages, log }: Deps) {
  return async (): Promise<void> => {
    const failures: unknown[] = [];
    async function attempt<T>(action: () => Promise<T>): Promise<T | null> {
      try {
        return await action();
      } catch (error) {
        // The samples of a stage can be removed after it is listed.
        if (!hasCode(error, 'NOT_FOUND')) failures.push(error);
        return null;
      }
    }

    await attempt(() => drift.check());
    const listed = await attempt(() => drift.stages());
    const stages = (listed ?? []).map(({ stage }) => stage);
    if (stages.length > MAX_STAGES)
      log.warn({ stages: stages.length, checked: MAX_STAGES }, 'too many stages for the scheduled checks');
    const drifted = await attempt(driftedStages);
    const checked = [
      ...new Set([...stages.slice(0, MAX_STAGES), ...(drifted ?? []).map(({ stage }) => stage)]),
    ];
    for (const stage of checked) await attempt(() => drift.check({ stage }));
    if (failures.length > 0)
      throw new Error(`${failures.length} of ${checked.length + 3} steps of the scheduled checks failed`, {
        cause: failures[0],
      });
  };
}
