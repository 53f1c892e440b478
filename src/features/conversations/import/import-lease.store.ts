import type { Model } from 'mongoose';
import type { Clock } from '../../../platform/clock.ts';
import { documentLease, type Lease } from '../../../platform/leases/lease.ts';
import { duplicateKeyOf } from '../../../platform/mongo/duplicate-key.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import type { ImportLeaseDoc } from './import.model.ts';

/** Lease TTL in milliseconds: how long the next import waits after one was killed. */
export const IMPORT_LEASE_TTL_MS = 5_000;

/** Stores one import lease per tenant. */
export function importLeaseStore(
  { ConversationImportLease }: { ConversationImportLease: Model<ImportLeaseDoc> },
  clock: Clock,
) {
  const lease = documentLease({
    token: 'token',
    expiresAt: 'expiresAt',
    ttlMs: IMPORT_LEASE_TTL_MS,
    clock,
  });

  return {
    /** Returns null if another import holds the lease. */
    async acquire({ customerId }: Tenant): Promise<Lease | null> {
      const acquired = lease.acquire();
      try {
        await ConversationImportLease.updateOne(
          { _id: customerId, ...lease.expired() },
          { $set: acquired },
          { upsert: true },
        );
        return acquired;
      } catch (error) {
        // A held lease does not match, so the upsert tries to insert a second document.
        if (duplicateKeyOf(error) === null) throw error;
        return null;
      }
    },

    /** Returns false if another import has acquired the lease. */
    async renew({ customerId }: Tenant, { token }: Lease): Promise<boolean> {
      const { matchedCount } = await ConversationImportLease.updateOne(
        { _id: customerId, ...lease.heldBy(token) },
        { $set: lease.acquire(token) },
      );
      return matchedCount === 1;
    },

    release: async ({ customerId }: Tenant, { token }: Lease): Promise<void> => {
      await ConversationImportLease.updateOne({ _id: customerId, ...lease.heldBy(token) }, lease.release());
    },
  };
}

export type ImportLeaseStore = ReturnType<typeof importLeaseStore>;
