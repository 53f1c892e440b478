import { invalid } from '../../errors.ts';
import type { Logger } from '../../platform/logger.ts';
import type { DriftCheck, DriftCheckResult, DriftStatus } from './drift.types.ts';
import type { SidecarClient } from './sidecar.client.ts';

/** Bounds of the history's `limit` (specification, "Limits"). */
export const HISTORY_MAX = 200;
export const HISTORY_DEFAULT = 50;

interface Deps {
  sidecar: SidecarClient;
  /** Told of every status that was read and every check that was made. */
  observe: (drift: Pick<DriftStatus, 'driftScore' | 'isDrifted' | 'featureDrifts'>) => void;
  log: Logger;
}

/** Drift concerns the one scoring model, so it belongs to no tenant. Everything is asked of the sidecar. */
export function driftService({ sidecar, observe, log }: Deps) {
  async function check(stage: string | null): Promise<DriftCheckResult> {
    const { success, driftScore, isDrifted, featureDrifts } = await sidecar.check(stage);
    if (stage === null) observe({ driftScore, isDrifted, featureDrifts });
    log.info({ stage, success, driftScore, isDrifted }, 'drift checked');
    return { success, driftScore, isDrifted };
  }

  return {
    /** `SERVICE_UNAVAILABLE` when the sidecar does not answer. */
    async status(): Promise<DriftStatus> {
      const status = await sidecar.status();
      observe(status);
      return status;
    },

    /** Most recent first. `SERVICE_UNAVAILABLE` when the sidecar does not answer. */
    async history(stage: string | null, limit: number): Promise<DriftCheck[]> {
      if (limit < 1 || limit > HISTORY_MAX) throw invalid('limit', `Must be 1 to ${HISTORY_MAX}.`);
      return sidecar.history(stage, limit);
    },

    /** Checks now. `SERVICE_UNAVAILABLE` when the sidecar does not answer. */
    check,
  };
}

export type DriftService = ReturnType<typeof driftService>;
