import { pauseAfterBatch } from '../../platform/batch-pause.ts';
import type { Clock } from '../../platform/clock.ts';
import { holdLease } from '../../platform/leases/lease.ts';
import type { Logger } from '../../platform/logger.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import type { RetentionKind, RetentionStep } from '../privacy/retention-step.ts';
import type { ClaimedPolicy, RunProgress, StoredRun } from './retention-policy.model.ts';
import { RETENTION_LEASE_TTL_MS, type RetentionPolicyStore } from './retention-policy.store.ts';

export const DAY_MS = 24 * 60 * 60 * 1000;
/** Time between two runs of a policy. */
const RUN_INTERVAL_MS = 10 * 60 * 1000;
/** As `RUN_INTERVAL_MS`, after a run that could not complete a kind. */
const RETRY_INTERVAL_MS = 60 * 1000;
/** Time after which a kind whose objects are kept is read from its beginning again. */
const RESTART_MS = DAY_MS;

/** Returns the time before which objects have expired. */
export const expiryOf = (days: number, now: Date): Date => new Date(now.getTime() - days * DAY_MS);

/** Returns the progress of a run, which an earlier version may have stored. */
function progressOf({ removed, removing }: StoredRun = { removed: {}, removing: {} }): RunProgress {
  if (removing && 'kind' in removing) return { removed, removing: { [removing.kind]: removing.ids } };
  return { removed, removing: removing ?? {} };
}

interface Deps {
  policies: RetentionPolicyStore;
  steps: readonly RetentionStep[];
  onRemoved: (kind: RetentionKind, count: number) => void;
  /** Notified of each kind that a run could not complete. */
  onFailed: (kind: RetentionKind) => void;
  clock: Clock;
  log: Logger;
}

/**
 * Removes what has expired of one tenant, in batches, as long as this process holds the lease of its policy. A kind whose
 * removal fails does not hold up the others: the next run repeats it.
 */
export function createRetentionWork({ policies, steps, onRemoved, onFailed, clock, log }: Deps) {
  return async (policy: ClaimedPolicy, stop: AbortSignal): Promise<void> => {
    const { _id: id, customerId, days, positions } = policy;
    const tenant: TenantRef = { customerId };
    const claim = { id, token: policy.lease.token };
    const startedAt = clock.now();
    const run = progressOf(policy.run);
    using lease = holdLease({
      ttlMs: RETENTION_LEASE_TTL_MS,
      renew: () => policies.renew(tenant, claim),
      onError: (error) =>
        log.warn({ err: error, customerId }, 'failed to renew the lease of a retention run'),
    });

    /** Removes a batch. Returns false if this process no longer holds the lease. */
    async function removeBatch({ kind, remove, removeRest }: RetentionStep, ids: string[], before: Date) {
      if (removeRest) run.removing[kind] = ids;
      // The times may have changed since the last heartbeat: what the customer now keeps must stay.
      if (!(await policies.renew(tenant, claim, { run }))) return false;
      const count = await remove(tenant, ids, before);
      delete run.removing[kind];
      if (count > 0) {
        run.removed[kind] = (run.removed[kind] ?? 0) + count;
        onRemoved(kind, count);
      }
      return true;
    }

    /** Completes an interrupted removal, then removes what has expired. Returns false as `removeBatch` does. */
    async function runStep(step: RetentionStep): Promise<boolean> {
      const { kind, keepsObjects } = step;
      const interrupted = run.removing[kind];
      if (interrupted) {
        await step.removeRest?.(tenant, interrupted);
        delete run.removing[kind];
      }
      const limit = days[kind];
      if (limit === undefined) return true;
      const before = expiryOf(limit, startedAt);
      let position: unknown = positions[kind] ?? null;
      do {
        if (stop.aborted) await policies.renew(tenant, claim, { run });
        stop.throwIfAborted();
        if (!lease.isHeld()) return false;
        const batchAt = performance.now();
        const { ids, next } = await step.find(tenant, before, position);
        if (ids.length > 0 && !(await removeBatch(step, ids, before))) return false;
        position = next;
        if (keepsObjects && next !== null) {
          positions[kind] = String(next);
          if (!(await policies.renew(tenant, claim, { positions }))) return false;
        }
        await pauseAfterBatch(batchAt);
      } while (position !== null);
      return true;
    }

    if (startedAt.getTime() - policy.restartedAt.getTime() > RESTART_MS) {
      for (const kind of Object.keys(positions)) delete positions[kind as RetentionKind];
      if (!(await policies.renew(tenant, claim, { positions, restartedAt: startedAt }))) return;
    }
    const failed: RetentionKind[] = [];
    for (const step of steps) {
      const { kind } = step;
      try {
        if (!(await runStep(step))) return;
      } catch (error) {
        if (stop.aborted) throw error;
        failed.push(kind);
        onFailed(kind);
        log.error({ err: error, customerId, kind }, 'failed to remove expired data; the next run repeats it');
      }
    }
    const intervalMs = failed.length > 0 ? RETRY_INTERVAL_MS : RUN_INTERVAL_MS;
    await policies.finish(tenant, claim, {
      run,
      failed,
      nextAt: new Date(startedAt.getTime() + intervalMs),
    });
    const { removed } = run;
    if (Object.keys(removed).length > 0) log.info({ customerId, removed }, 'expired data removed');
  };
}
