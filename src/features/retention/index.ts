import type { Models } from '../../database/models.ts';
import type { RecurringJob, RequestRun } from '../../jobs/recurring-job.ts';
import type { Clock } from '../../platform/clock.ts';
import { createRunner } from '../../platform/leases/queue-runner.ts';
import type { Logger } from '../../platform/logger.ts';
import { RETENTION_JOB, type RetentionKind, type RetentionStep } from '../privacy/retention-step.ts';
import { retentionService } from './retention.service.ts';
import { retentionPolicyStore } from './retention-policy.store.ts';
import { createRetentionWork } from './retention-work.ts';

/** How often due policies are looked up. Milliseconds. */
const CLAIM_INTERVAL_MS = 5_000;
/** Tenants whose data a process removes at a time: removal is work of the database. */
const MAX_ACTIVE = 2;

interface Deps {
  models: Models;
  /** What each feature removes. */
  steps: readonly RetentionStep[];
  maximaMs: Partial<Record<RetentionKind, number | null>>;
  onRemoved: (kind: RetentionKind, count: number) => void;
  onFailed: (kind: RetentionKind) => void;
  requestRun: RequestRun;
  clock: Clock;
  log: Logger;
  /** True if this process removes expired data. */
  runsHere: boolean;
}

/** Retention times of tenants, and the removal of what has expired; each tenant's by one process at a time. */
export function createRetention(deps: Deps) {
  const { models, steps, maximaMs, requestRun, clock, log, runsHere } = deps;
  const policies = retentionPolicyStore(models, clock);
  const runner = runsHere
    ? createRunner({
        queue: policies,
        name: 'retention',
        work: createRetentionWork({ ...deps, policies }),
        maxActive: MAX_ACTIVE,
        clock,
        log,
      })
    : null;
  return {
    services: {
      retention: retentionService({
        policies,
        steps,
        maximaMs,
        requestRun: () => requestRun(RETENTION_JOB),
        clock,
      }),
    },
    jobs: (runner
      ? [{ name: RETENTION_JOB, every: CLAIM_INTERVAL_MS, run: runner.claimAll }]
      : []) satisfies RecurringJob[],

    /** Aborts runs in this process and releases their leases. */
    close: async (graceMs: number): Promise<void> => runner?.close(graceMs),
  };
}
