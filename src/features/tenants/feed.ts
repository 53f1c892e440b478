import { Repeater, SlidingBuffer } from '@repeaterjs/repeater';
import type { Changes } from '../../platform/mongo/changes.ts';
import type { StoredApiKey } from './tenants.store.ts';
import type { Principal, Tenant } from './tenants.types.ts';

/** Updates kept for a subscriber that reads slowly; past that the oldest are left out. */
const MAX_BEHIND = 1_000;

/**
 * What changes of a tenant's documents in one collection, whichever process changed it. Ends when the reader stops,
 * and when the key it was opened with is revoked or expires.
 *
 * @param pick what a subscriber hears of a document; null: nothing
 */
export function tenantFeed<D extends { customerId: number }, T>(
  changes: Changes,
  collection: string,
  { principal, tenant }: { principal: Principal; tenant: Tenant },
  pick: (document: D) => T | null,
): Repeater<T> {
  return new Repeater<T>(async (push, stop) => {
    const stopDocuments = changes.listen<D>(collection, (document) => {
      const picked = document.customerId === tenant.customerId ? pick(document) : null;
      if (picked !== null) void push(picked);
    });
    const stopKeys = changes.listen<StoredApiKey>('apiKeys', (key) => {
      if (key._id.toHexString() === principal.keyId && key.revokedAt) stop();
    });
    const expiry = principal.expiresAt && setTimeout(stop, untilExpiry(principal.expiresAt));
    await stop;
    stopDocuments();
    stopKeys();
    if (expiry) clearTimeout(expiry);
  }, new SlidingBuffer(MAX_BEHIND));
}

/** Node's timers hold 24 days at most; a subscription that lives longer may as well be opened again. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const untilExpiry = (expiresAt: Date): number => Math.min(expiresAt.getTime() - Date.now(), MAX_TIMER_MS);
