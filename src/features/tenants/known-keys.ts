import { LRUCache } from 'lru-cache';

interface KnownKeysOptions {
  tenants?: number;
  keysPerTenant?: number;
}

/**
 * Hashes of keys that were valid at their last use; a hash stands for one key id. Bounded per tenant, so that a tenant
 * with many keys evicts only its own.
 */
export function knownKeys({ tenants = 5_000, keysPerTenant = 20 }: KnownKeysOptions = {}) {
  const tenantByHash = new Map<string, number>();
  const hashesByTenant = new LRUCache<number, LRUCache<string, true>>({
    max: tenants,
    dispose: (hashes) => hashes.clear(),
  });
  const hashesOf = (tenant: number) =>
    hashesByTenant.get(tenant) ??
    new LRUCache<string, true>({ max: keysPerTenant, dispose: (_, hash) => tenantByHash.delete(hash) });

  return {
    has: (hash: string): boolean => tenantByHash.has(hash),
    /** @param customerId null for an admin key */
    add(hash: string, customerId: number | null): void {
      const tenant = customerId ?? 0;
      const hashes = hashesOf(tenant);
      hashesByTenant.set(tenant, hashes);
      hashes.set(hash, true);
      tenantByHash.set(hash, tenant);
    },
    delete(hash: string): void {
      const tenant = tenantByHash.get(hash);
      if (tenant !== undefined) hashesByTenant.peek(tenant)?.delete(hash);
    },
  };
}
