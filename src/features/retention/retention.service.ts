import { AppError, invalidInput } from '../../errors/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import { MAX_COUNT } from '../../shared/max-count.ts';
import { RETENTION_KINDS, type RetentionKind, type RetentionStep } from '../privacy/retention-step.ts';
import type { ByKind, RetentionPolicyDoc } from './retention-policy.model.ts';
import type { RetentionPolicyStore } from './retention-policy.store.ts';
import { DAY_MS, expiryOf } from './retention-work.ts';

/** Days by kind; null for a kind that is kept. */
export type RetentionTimes = Record<RetentionKind, number | null>;

/** A tenant's retention, as clients see it. */
export interface Retention extends RetentionTimes {
  updatedAt: Date | null;
  lastRunAt: Date | null;
  /** Objects that the latest run has removed. */
  removed: Record<RetentionKind, number>;
  /** Kinds that the latest run could not complete. */
  failed: readonly RetentionKind[];
}

/** What would be removed now, of one kind of one tenant. */
export interface ExpiredCount {
  customerId: number;
  kind: RetentionKind;
  days: number;
  count: number;
}

export interface RetentionUpdate {
  times: Partial<RetentionTimes>;
  /** True if the caller has an admin key, or is the operator. */
  isAdmin: boolean;
}

interface Deps {
  policies: RetentionPolicyStore;
  steps: readonly RetentionStep[];
  /** Longest retention times, from the settings of the service. Milliseconds; null for no limit. */
  maximaMs: Partial<Record<RetentionKind, number | null>>;
  /** Makes the job due now, for a worker of any process. */
  requestRun: () => Promise<void>;
  clock: Clock;
}

/**
 * Maximum of objects that a preview counts of each kind, and of windows that it reads for them. A window has 250 webhook
 * events, or 500 or more objects of another kind.
 */
const PREVIEWED = { objects: MAX_COUNT, windows: 50 };
const UNLIMITED = { objects: Number.POSITIVE_INFINITY, windows: Number.POSITIVE_INFINITY };

const byKind = <T>(read: (kind: RetentionKind) => T) =>
  Object.fromEntries(RETENTION_KINDS.map((kind) => [kind, read(kind)])) as Record<RetentionKind, T>;

const toRetention = (policy: RetentionPolicyDoc | null): Retention => ({
  ...byKind((kind) => policy?.days[kind] ?? null),
  updatedAt: policy?.updatedAt ?? null,
  lastRunAt: policy?.lastRunAt ?? null,
  removed: byKind((kind) => policy?.removed[kind] ?? 0),
  failed: policy?.failed ?? [],
});

/** Reads and changes the retention times of tenants. */
export function retentionService({ policies, steps, maximaMs, requestRun, clock }: Deps) {
  function requireWithinMaxima(times: Partial<RetentionTimes>): void {
    const details = RETENTION_KINDS.flatMap((kind) => {
      const max = Math.floor((maximaMs[kind] ?? Number.POSITIVE_INFINITY) / DAY_MS);
      const message = `Must be at most ${max}: the service keeps it for ${max} days for all customers.`;
      return (times[kind] ?? 0) > max ? [{ path: kind, message }] : [];
    });
    if (details.length > 0) throw invalidInput(details);
  }

  async function count(
    tenant: TenantRef,
    step: RetentionStep,
    before: Date,
    { objects, windows }: { objects: number; windows: number } = UNLIMITED,
  ): Promise<number> {
    let total = 0;
    let after: unknown = null;
    for (let read = 0; read < windows && total < objects; read += 1) {
      const { ids, next } = await step.find(tenant, before, after);
      total += ids.length;
      after = next;
      if (after === null) break;
    }
    return Math.min(total, objects);
  }

  return {
    get: async (tenant: TenantRef): Promise<Retention> => toRetention(await policies.find(tenant)),

    /** Returns the time before which objects of a kind are removed; null if they are kept. */
    async expiryOf(tenant: TenantRef, kind: RetentionKind): Promise<Date | null> {
      const days = (await policies.find(tenant))?.days[kind];
      return days === undefined ? null : expiryOf(days, clock.now());
    },

    /**
     * Changes retention times; those that are absent stay. Expired data is removed from now on.
     *
     * @throws AppError `VALIDATION_FAILED`, or `FORBIDDEN` if the time of the audit log is changed without an admin key
     */
    async update(tenant: TenantRef, { times, isAdmin }: RetentionUpdate): Promise<Retention> {
      if (times.auditLog !== undefined && !isAdmin)
        throw new AppError(
          'FORBIDDEN',
          'Only an admin key can change the retention of the audit log: omit auditLog.',
        );
      requireWithinMaxima(times);
      if (Object.keys(times).length === 0) return toRetention(await policies.find(tenant));
      const updated = await policies.update(tenant, times);
      await requestRun();
      return toRetention(updated);
    },

    /**
     * Counts what a run would remove now, of each kind within `PREVIEWED`.
     *
     * @param times those that are absent are as set
     * @throws AppError `VALIDATION_FAILED`
     */
    async preview(tenant: TenantRef, times: Partial<RetentionTimes>): Promise<Record<RetentionKind, number>> {
      requireWithinMaxima(times);
      const policy = await policies.find(tenant);
      const counts: ByKind = {};
      for (const step of steps) {
        const { kind } = step;
        const days = times[kind] === undefined ? policy?.days[kind] : times[kind];
        if (days != null) counts[kind] = await count(tenant, step, expiryOf(days, clock.now()), PREVIEWED);
      }
      return byKind((kind) => counts[kind] ?? 0);
    },

    /** Counts what would be removed now. @param customerId undefined for all tenants */
    async *expired(customerId?: number): AsyncGenerator<ExpiredCount> {
      const selected =
        customerId === undefined
          ? policies.all()
          : [await policies.find({ customerId })].filter((policy) => policy !== null);
      for await (const policy of selected) {
        for (const step of steps) {
          const days = policy.days[step.kind];
          if (days === undefined) continue;
          const { customerId: of } = policy;
          const before = expiryOf(days, clock.now());
          yield {
            customerId: of,
            kind: step.kind,
            days,
            count: await count({ customerId: of }, step, before),
          };
        }
      }
    },

    /** Retention times of all tenants that have any. */
    async *all(): AsyncGenerator<{ customerId: number; days: ByKind }> {
      for await (const { customerId, days } of policies.all()) yield { customerId, days };
    },
  };
}

export type RetentionService = ReturnType<typeof retentionService>;
