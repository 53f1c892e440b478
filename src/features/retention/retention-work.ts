import { pauseAfterBatch } from '../../platform/batch-pause.ts';
import type { Clock } from '../../platform/clock.ts';
import { holdLease } from '../../platform/leases/lease.ts';
import type { Logger } from '../../platform/logger.ts';
import type { TenantRef } from '../privacy/erasure-step.ts';
import type { RetentionKind, RetentionStep } from '../privacy/retention-step.ts';
import type { ClaimedPolicy, RunProgress } from './retention-policy.model.ts';
import { RETENTION_LEASE_TTL_MS, type RetentionPolicyStore } from './retention-policy.store.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Time between two runs of a policy. */
const RUN_INTERVAL_MS = 10 * 60 * 1000;
/** Time after which a kind whose objects are kept is read from its beginning again. */
const RESTART_MS = DAY_MS;

/** Returns the time before which objects have expired. */
export const expiryOf = (days: number, now: Date): Date => new Date(now.getTime() - days * DAY_MS);

interface Deps {
  policies: RetentionPolicyStore;
  steps: readonly RetentionStep[];
  onRemoved: (kind: RetentionKind, count: number) => void;
  clock: Clock;
  log: Logger;
}

/** Removes what has expired of one tenant, in batches, as long as this process holds the lease of its policy. */
export function createRetentionWork({ policies, steps, onRemoved, clock, log }: Deps) {
  return async (policy: ClaimedPolicy, stop: AbortSignal): Promise<void> => {
    const { _id: id, customerId, days, positions } = policy;
    const tenant: TenantRef = { customerId };
    const claim = { id, token: policy.lease.token };
    const startedAt = clock.now();
    const run: RunProgress = policy.run ?? { removed: {}, removing: null };
    using lease = holdLease({
      ttlMs: RETENTION_LEASE_TTL_MS,
      renew: () => policies.renew(tenant, claim),
      onError: (error) =>
        log.warn({ err: error, customerId }, 'failed to renew the lease of a retention run'),
    });
    if (startedAt.getTime() - policy.restartedAt.getTime() > RESTART_MS) {
      for (const kind of Object.keys(positions)) delete positions[kind as RetentionKind];
      if (!(await policies.renew(tenant, claim, { positions, restartedAt: startedAt }))) return;
    }
    if (run.removing) {
      const { kind, ids } = run.removing;
      await steps.find((step) => step.kind === kind)?.removeRest?.(tenant, ids);
      run.removing = null;
    }
    for (const step of steps) {
      const { kind, keepsObjects } = step;
      const limit = days[kind];
      if (limit === undefined) continue;
      const before = expiryOf(limit, startedAt);
      let position: unknown = positions[kind] ?? null;
      do {
        if (stop.aborted) await policies.renew(tenant, claim, { run });
        stop.throwIfAborted();
        if (!lease.isHeld()) return;
        const batchAt = performance.now();
        const { ids, next } = await step.find(tenant, before, position);
        if (ids.length > 0) {
          run.removing = step.removeRest ? { kind, ids } : null;
          // The times may have changed since the last heartbeat: what the customer now keeps must stay.
          if (!(await policies.renew(tenant, claim, { run }))) return;
          const count = await step.remove(tenant, ids, before);
          run.removing = null;
          if (count > 0) {
            run.removed[kind] = (run.removed[kind] ?? 0) + count;
            onRemoved(kind, count);
          }
        }
        position = next;
        if (keepsObjects && next !== null) {
          positions[kind] = String(next);
          if (!(await policies.renew(tenant, claim, { positions }))) return;
        }
        await pauseAfterBatch(batchAt);
      } while (position !== null);
    }
    const { removed } = run;
    await policies.finish(tenant, claim, removed, new Date(startedAt.getTime() + RUN_INTERVAL_MS));
    if (Object.keys(removed).length > 0) log.info({ customerId, removed }, 'expired data removed');
  };
}
