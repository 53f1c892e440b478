import { AppError } from '../../errors/app-error.ts';
import type { Logger } from '../../platform/logger.ts';
import type { DriftService } from './drift.service.ts';

/** Maximum number of stages per run: as many as the reference sidecar accepts. */
const MAX_STAGES = 50;

interface Deps {
  drift: Pick<DriftService, 'check' | 'stages'>;
  /** Receives the stages that have samples. */
  onStages: (stages: readonly string[]) => void;
  log: Logger;
}

/** Creates the job that checks all samples and each stage that has samples. One failure does not stop the others. */
export function createScheduledChecks({ drift, onStages, log }: Deps) {
  return async (): Promise<void> => {
    const failures: unknown[] = [];
    async function attempt<T>(action: () => Promise<T>): Promise<T | null> {
      try {
        return await action();
      } catch (error) {
        // The samples of a stage can be removed after it is listed.
        if (!(error instanceof AppError && error.code === 'NOT_FOUND')) failures.push(error);
        return null;
      }
    }

    await attempt(() => drift.check());
    const listed = await attempt(() => drift.stages());
    const stages = (listed ?? []).map(({ stage }) => stage);
    if (stages.length > MAX_STAGES)
      log.warn({ stages: stages.length, checked: MAX_STAGES }, 'too many stages for the scheduled checks');
    const checked = stages.slice(0, MAX_STAGES);
    if (listed) onStages(checked);
    for (const stage of checked) await attempt(() => drift.check({ stage }));
    if (failures.length > 0)
      throw new Error(`${failures.length} of ${checked.length + 2} requests of the scheduled checks failed`, {
        cause: failures[0],
      });
  };
}
