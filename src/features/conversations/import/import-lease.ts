import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../../errors/app-error.ts';
import { holdLease, type Lease } from '../../../platform/mongo/lease.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import { IMPORT_LEASE_TTL_MS, type ImportLeaseStore } from './import-lease.store.ts';

/** Longer than the TTL, so that the lease of a killed import expires in time. */
const ACQUIRE_TIMEOUT_MS = IMPORT_LEASE_TTL_MS + 1_000;
const ACQUIRE_INTERVAL_MS = 250;

/** @throws AppError `CONFLICT` if another import holds the lease for longer than `ACQUIRE_TIMEOUT_MS` */
async function acquire(leases: ImportLeaseStore, tenant: Tenant): Promise<Lease> {
  const deadline = performance.now() + ACQUIRE_TIMEOUT_MS;
  for (;;) {
    const lease = await leases.acquire(tenant);
    if (lease) return lease;
    if (performance.now() > deadline)
      throw new AppError(
        'CONFLICT',
        'Another import for this customer is running. Run this import after it has ended.',
      );
    await sleep(ACQUIRE_INTERVAL_MS);
  }
}

/**
 * Runs `work` as the tenant's only import.
 *
 * @param work calls `requireLease` before each step that needs the lease; it throws once the lease is lost
 * @throws AppError `CONFLICT` if another import is running, or the lease was lost
 */
export async function withImportLease<T>(
  leases: ImportLeaseStore,
  tenant: Tenant,
  work: (requireLease: () => void) => Promise<T>,
): Promise<T> {
  const lease = await acquire(leases, tenant);
  using held = holdLease({
    ttlMs: IMPORT_LEASE_TTL_MS,
    renew: () => leases.renew(tenant, lease),
    // If the database is unreachable, the import's own writes report it.
    onError: () => {},
  });
  const requireLease = (): void => {
    if (!held.isHeld())
      throw new AppError(
        'CONFLICT',
        'The import lost its lease, and another import may be running. Run this import again to continue.',
      );
  };
  try {
    return await work(requireLease);
  } finally {
    await leases.release(tenant, lease).catch(() => {});
  }
}
