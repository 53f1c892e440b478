import { AppError } from '../../errors/app-error.ts';
import type { Coherence } from '../../platform/coherence/coherence.ts';
import { type CacheEntry, coherentCache } from '../../platform/coherence/coherent-cache.ts';
import type { TenantStore } from './tenants.store.ts';

/** The one entry of the cache. */
const ALL = 'all';

/** Times of suspension by customer id. */
type Suspended = ReadonlyMap<number, Date>;

/**
 * The customers that are suspended. They are few, so each process caches all of them together: a request reads no
 * further document, whether or not its customer is suspended.
 */
export function createSuspensions(
  tenants: Pick<TenantStore, 'suspended' | 'setSuspended'>,
  coherence: Coherence,
) {
  const cached = coherentCache<typeof ALL, Suspended>({
    coherence,
    entries: new Map<typeof ALL, CacheEntry<Suspended>>(),
    prefix: 'suspensions',
    toKey: () => ALL,
    load: tenants.suspended,
  });
  const suspendedAt = async (customerId: number): Promise<Date | null> =>
    (await cached.get(ALL))?.get(customerId) ?? null;

  return {
    /** Returns the time at which a customer was suspended; null if it is not. */
    suspendedAt,
    isSuspended: async (customerId: number): Promise<boolean> => (await suspendedAt(customerId)) !== null,
    /** Returns the ids of all suspended customers. */
    all: async (): Promise<number[]> => [...((await cached.get(ALL))?.keys() ?? [])],
    /** @throws AppError `CUSTOMER_SUSPENDED` */
    async require(customerId: number): Promise<void> {
      if ((await suspendedAt(customerId)) !== null)
        throw new AppError(
          'CUSTOMER_SUSPENDED',
          'The customer is suspended; contact the operator of the service.',
        );
    },
    /** Suspends a customer or lifts its suspension, with null; once this resolves, it applies in every process. */
    set: (customerId: number, at: Date | null): Promise<void> =>
      cached.change(ALL, () => tenants.setSuspended(customerId, at)),
  };
}

export type Suspensions = ReturnType<typeof createSuspensions>;
