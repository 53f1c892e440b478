import { LRUCache } from 'lru-cache';
import type { CacheEntry } from '../../platform/coherence/coherent-cache.ts';
import type { StoredApiKey } from './tenants.model.ts';

/** A key's customer id; `admin` for all admin keys. */
type KeyOwner = number | 'admin';
type KnownKey = CacheEntry<StoredApiKey>;

interface KnownKeysOptions {
  tenants?: number;
  keysPerTenant?: number;
}

/**
 * Keeps the keys that were valid at their last use, by hash. Bounded per tenant, so that a tenant with many keys evicts
 * only its own.
 */
export function createKnownKeys({ tenants = 5_000, keysPerTenant = 20 }: KnownKeysOptions = {}) {
  const ownerByHash = new Map<string, KeyOwner>();
  const keysByOwner = new LRUCache<KeyOwner, LRUCache<string, KnownKey>>({
    max: tenants,
    dispose: (keys) => keys.clear(),
  });
  const keysOf = (owner: KeyOwner) =>
    keysByOwner.get(owner) ??
    new LRUCache<string, KnownKey>({
      max: keysPerTenant,
      dispose: (_, hash, reason) => {
        if (reason !== 'set') ownerByHash.delete(hash);
      },
    });

  return {
    has: (hash: string): boolean => ownerByHash.has(hash),
    get(hash: string): KnownKey | undefined {
      const owner = ownerByHash.get(hash);
      return owner === undefined ? undefined : keysByOwner.get(owner)?.get(hash);
    },
    set(hash: string, known: KnownKey): void {
      const owner = known.value.customerId ?? 'admin';
      const keys = keysOf(owner);
      keysByOwner.set(owner, keys);
      keys.set(hash, known);
      ownerByHash.set(hash, owner);
    },
    delete(hash: string): void {
      const owner = ownerByHash.get(hash);
      if (owner !== undefined) keysByOwner.peek(owner)?.delete(hash);
    },
  };
}
