import type { Clock } from '../../platform/clock.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import { SETTLED_AFTER_MS } from '../outbox/publication-limits.ts';
import { type ErasureStep, NOTHING_FOUND } from '../privacy/erasure-step.ts';
import { NO_PERSON } from '../privacy/person.ts';
import type { DeletionState } from '../tenants/tenants.model.ts';
import { type createPasses, DELIVERY_WAIT_MS, type Hold } from './erasure-passes.ts';
import type { ClaimedErasure, ErasureDoc } from './erasures.model.ts';
import type { ErasureStore } from './erasures.store.ts';

/**
 * Time for which nothing of a tenant may arrive before its deletion ends, in milliseconds: requests, attempts, syncs and
 * counters that were in progress have then ended, and no process has the tenant in a cache.
 */
export const SETTLE_MS = 75_000;

/** The removal of a tenant, as the rest of the service provides it. */
export interface TenantRemoval {
  /** Removes what each collection stores of the tenant, in this order. */
  steps: readonly ErasureStep[];
  /** Removes what stays until nothing of the tenant can arrive any more, such as its keys. */
  finalSteps: readonly ErasureStep[];
  hasOpenDeliveries(tenant: TenantRef): Promise<boolean>;
  /** Refuses requests of the tenant; once this resolves, in every process. A repetition changes nothing. */
  startDeletion(customerId: number, deletion: DeletionState): Promise<void>;
  /** Holds the deliveries of the tenant. Returns since when; null if the tenant is removed already. */
  startRemoval(customerId: number, at: Date): Promise<Date | null>;
  /** Removes the tenant and its encryption key, after everything else that belongs to it. */
  remove(customerId: number): Promise<void>;
}

/** Returns the state of a tenant whose deletion begins: unless its deliveries are to be finished, they are held from `now` on. */
export const deletionStateOf = (
  { startedAt, deliveries }: Pick<ErasureDoc, 'startedAt' | 'deliveries'>,
  now: Date,
): DeletionState => ({ startedAt, ...(deliveries === 'cancel' && { removingSince: now }) });

/** Pause of a job while a tenant settles, in milliseconds. */
const SETTLE_PAUSE_MS = 5_000;

interface Deps {
  removal: TenantRemoval;
  erasures: ErasureStore;
  runPasses: ReturnType<typeof createPasses>;
  clock: Clock;
}

/** Creates the work on the deletion of a tenant. It returns true at the end; false if another claim continues. */
export function createTenantRemoval({ removal, erasures, runPasses, clock }: Deps) {
  /** Returns false while open deliveries are to be finished, also those that a commit in progress may still insert. */
  async function isDelivered({ customerId, deliveries, startedAt }: ClaimedErasure): Promise<boolean> {
    const elapsedMs = clock.now().getTime() - startedAt.getTime();
    if (deliveries === 'cancel' || elapsedMs >= DELIVERY_WAIT_MS.longest) return true;
    return elapsedMs >= SETTLED_AFTER_MS && !(await removal.hasOpenDeliveries({ customerId }));
  }

  return async (erasure: ClaimedErasure, hold: Hold): Promise<boolean> => {
    const { _id: id, customerId, dryRun, lease } = erasure;
    const tenant = { customerId };
    const context = () => ({
      tenant,
      person: NO_PERSON,
      isDryRun: dryRun,
      isKnown: true,
      awaitsDeliveries: false,
    });
    if (dryRun) {
      const steps = [...removal.steps, ...removal.finalSteps];
      return runPasses(erasure, { steps, context, pauseMs: SETTLE_PAUSE_MS }, hold);
    }

    await removal.startDeletion(customerId, deletionStateOf(erasure, clock.now()));
    const hasBegun = erasure.progress !== undefined;
    if (!hasBegun && !(await isDelivered(erasure))) {
      const at = new Date(clock.now().getTime() + DELIVERY_WAIT_MS.pause);
      await erasures.release(tenant, { id, token: lease.token }, at);
      return false;
    }
    const since = await removal.startRemoval(customerId, clock.now());
    // Those that a request in progress started after the deletion.
    await erasures.abortOfPeople(tenant, clock.now());
    const isUnsettled = () => since !== null && clock.now().getTime() - since.getTime() < SETTLE_MS;
    const onceSettled = (step: ErasureStep): ErasureStep => ({
      ...step,
      find: async (...window) => (isUnsettled() ? NOTHING_FOUND : step.find(...window)),
    });
    const steps = [...removal.steps, ...removal.finalSteps.map(onceSettled)];
    if (!(await runPasses(erasure, { steps, context, isUnsettled, pauseMs: SETTLE_PAUSE_MS }, hold)))
      return false;
    await removal.remove(customerId);
    return true;
  };
}
