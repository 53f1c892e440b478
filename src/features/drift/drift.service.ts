import type { Logger } from '../../platform/logger.ts';
import type { DriftCheck, DriftCheckResult, DriftStatus, StageFilter } from './drift.types.ts';
import type { SidecarClient } from './sidecar.client.ts';

/** Maximum and default `limit` of the history (specification, "Limits"). */
export const HISTORY_MAX = 200;
export const HISTORY_DEFAULT = 50;

interface Deps {
  sidecar: SidecarClient;
  /** Receives every status and every check of all samples, for the metrics. */
  observe: (drift: Pick<DriftStatus, 'driftScore' | 'isDrifted' | 'featureDrifts'>) => void;
  log: Logger;
}

/** Creates the service for drift of the scoring model, which all tenants share. All data come from the sidecar. */
export function driftService({ sidecar, observe, log }: Deps) {
  async function check({ stage = null }: StageFilter = {}): Promise<DriftCheckResult> {
    const { success, driftScore, isDrifted, featureDrifts } = await sidecar.check({ stage });
    if (stage === null) observe({ driftScore, isDrifted, featureDrifts });
    log.info({ stage, success, driftScore, isDrifted }, 'drift checked');
    return { success, driftScore, isDrifted };
  }

  return {
    /** @throws AppError `SERVICE_UNAVAILABLE` if the sidecar is not available */
    async status(): Promise<DriftStatus> {
      const status = await sidecar.status();
      observe(status);
      return status;
    },

    /**
     * Lists past checks, newest first.
     * @throws AppError `SERVICE_UNAVAILABLE` if the sidecar is not available
     */
    history: (options: StageFilter & { limit: number }): Promise<DriftCheck[]> => sidecar.history(options),

    /** Checks all samples, or those of a stage. @throws AppError `SERVICE_UNAVAILABLE` if the sidecar is not available */
    check,
  };
}

export type DriftService = ReturnType<typeof driftService>;
