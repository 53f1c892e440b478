import { AppError } from '../../errors/app-error.ts';
import type { Coherence } from '../../platform/coherence/coherence.ts';
import { type CacheEntry, coherentCache } from '../../platform/coherence/coherent-cache.ts';
import type { DeletionState } from './tenants.model.ts';
import type { SuspendedTenant, TenantStore } from './tenants.store.ts';

const isBeingDeleted = () =>
  new AppError(
    'CUSTOMER_SUSPENDED',
    'The customer is being deleted, which cannot be undone; contact the operator of the service.',
  );

/** The one entry of the cache. */
const ALL = 'all';

/** Suspended customers by customer id. */
type Suspended = ReadonlyMap<number, SuspendedTenant>;

type Store = Pick<TenantStore, 'suspended' | 'setSuspended' | 'startDeletion' | 'startRemoval' | 'remove'>;

/**
 * The open deliveries of a customer that is being deleted are finished first, if the operator chose that: also those that a
 * suspension before the deletion has held.
 */
const holdsDeliveries = ({ deletion }: SuspendedTenant): boolean =>
  !deletion || deletion.removingSince !== undefined;

/**
 * The customers that are suspended, including customers that are being deleted. They are few, so each process caches all of
 * them together: a request reads no further document, whether or not its customer is suspended.
 */
export function createSuspensions(tenants: Store, coherence: Coherence) {
  const cached = coherentCache<typeof ALL, Suspended>({
    coherence,
    entries: new Map<typeof ALL, CacheEntry<Suspended>>(),
    prefix: 'suspensions',
    toKey: () => ALL,
    load: tenants.suspended,
  });
  const suspended = async (): Promise<Suspended> => (await cached.get(ALL)) ?? new Map();
  const stateOf = async (customerId: number): Promise<SuspendedTenant | null> =>
    (await suspended()).get(customerId) ?? null;
  const suspendedAt = async (customerId: number): Promise<Date | null> =>
    (await stateOf(customerId))?.suspendedAt ?? null;
  const deletionStartedAt = async (customerId: number): Promise<Date | null> =>
    (await stateOf(customerId))?.deletion?.startedAt ?? null;

  return {
    /** Returns the time at which a customer was suspended; null if it is not. */
    suspendedAt,
    /** Returns the time at which the deletion of a customer began; null if it is not being deleted. */
    deletionStartedAt,
    isSuspended: async (customerId: number): Promise<boolean> => (await stateOf(customerId)) !== null,
    /** Returns the ids of all suspended customers. */
    all: async (): Promise<number[]> => [...(await suspended()).keys()],
    /** The suspended customers whose deliveries wait. */
    ofDeliveries: {
      async isSuspended(customerId: number): Promise<boolean> {
        const state = await stateOf(customerId);
        return state !== null && holdsDeliveries(state);
      },
      all: async (): Promise<number[]> =>
        [...(await suspended())].flatMap(([customerId, state]) =>
          holdsDeliveries(state) ? [customerId] : [],
        ),
    },
    /** @throws AppError `CUSTOMER_SUSPENDED` */
    async require(customerId: number): Promise<void> {
      const state = await stateOf(customerId);
      if (state?.deletion) throw isBeingDeleted();
      if (state)
        throw new AppError(
          'CUSTOMER_SUSPENDED',
          'The customer is suspended; contact the operator of the service.',
        );
    },
    /** For requests of admin keys, which may act for a suspended customer. @throws AppError `CUSTOMER_SUSPENDED` */
    async requireNotDeleted(customerId: number): Promise<void> {
      if (await deletionStartedAt(customerId)) throw isBeingDeleted();
    },
    /** Suspends a customer or lifts its suspension, with null; once this resolves, it applies in every process. */
    set: (customerId: number, at: Date | null): Promise<void> =>
      cached.change(ALL, () => tenants.setSuspended(customerId, at)),
    /**
     * Begins the deletion of a customer; once this resolves, every process refuses its requests. A job repeats it while it
     * waits, and a change makes every process read all suspensions, so only the first call is one.
     */
    async startDeletion(customerId: number, deletion: DeletionState): Promise<void> {
      if (await deletionStartedAt(customerId)) return;
      await cached.change(ALL, () => tenants.startDeletion(customerId, deletion));
    },
    /**
     * Holds the deliveries of a customer that is being deleted; a repetition is no change either. Returns since when; null
     * if the customer is removed.
     */
    async startRemoval(customerId: number, at: Date): Promise<Date | null> {
      const since = (await stateOf(customerId))?.deletion?.removingSince;
      if (since) return since;
      const deletion = await cached.change(ALL, () => tenants.startRemoval(customerId, at));
      return deletion?.removingSince ?? null;
    },
    /** Removes the customer; of its data, only its keys of encryption and suppression remain. */
    remove: (customerId: number): Promise<void> => cached.change(ALL, () => tenants.remove(customerId)),
  };
}

export type Suspensions = ReturnType<typeof createSuspensions>;
