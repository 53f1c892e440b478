import { LRUCache } from 'lru-cache';

/** Customer id of a key; `admin` for the admin keys. */
type KeyOwner = number | 'admin';

interface KnownKeysOptions {
  tenants?: number;
  keysPerTenant?: number;
}

/**
 * Hashes of keys that were valid at their last use; a hash stands for one key id. Bounded per tenant, so that a tenant
 * with many keys evicts only its own.
 */
export function knownKeys({ tenants = 5_000, keysPerTenant = 20 }: KnownKeysOptions = {}) {
  const ownerByHash = new Map<string, KeyOwner>();
  const hashesByOwner = new LRUCache<KeyOwner, LRUCache<string, true>>({
    max: tenants,
    dispose: (hashes) => hashes.clear(),
  });
  const hashesOf = (owner: KeyOwner) =>
    hashesByOwner.get(owner) ??
    new LRUCache<string, true>({ max: keysPerTenant, dispose: (_, hash) => ownerByHash.delete(hash) });

  return {
    has: (hash: string): boolean => ownerByHash.has(hash),
    /** @param customerId null for an admin key */
    add(hash: string, customerId: number | null): void {
      const owner = customerId ?? 'admin';
      const hashes = hashesOf(owner);
      hashesByOwner.set(owner, hashes);
      hashes.set(hash, true);
      ownerByHash.set(hash, owner);
    },
    delete(hash: string): void {
      const owner = ownerByHash.get(hash);
      if (owner !== undefined) hashesByOwner.peek(owner)?.delete(hash);
    },
  };
}
