import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../errors.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import type { ImportStore } from './import.store.ts';

/** After this long without a renewal an import is taken for dead. Milliseconds. */
const LEASE_MS = 5_000;
const RENEW_MS = 1_000;
const RETRY_MS = 250;

const running = (): AppError => new AppError('CONFLICT', 'Another import of the customer is running.');

/**
 * Does `work` as the only import of the tenant; waits for the lease of one that was killed to run out.
 *
 * @param work gets a check that throws once the lease is lost
 * @throws AppError `CONFLICT` while another one is running
 */
export async function withImportLease<T>(
  imports: ImportStore,
  tenant: Tenant,
  work: (check: () => void) => Promise<T>,
): Promise<T> {
  const owner = randomUUID();
  const deadline = performance.now() + LEASE_MS + RENEW_MS;
  while (!(await imports.lease(tenant, owner, LEASE_MS))) {
    if (performance.now() > deadline) throw running();
    await sleep(RETRY_MS);
  }
  let held = true;
  const timer = setInterval(() => {
    // A database that cannot be reached is told of by the work itself.
    imports.lease(tenant, owner, LEASE_MS).then(
      (still) => {
        held = still;
      },
      () => {},
    );
  }, RENEW_MS);
  try {
    return await work(() => {
      if (!held) throw running();
    });
  } finally {
    clearInterval(timer);
    await imports.release(tenant, owner).catch(() => {});
  }
}
