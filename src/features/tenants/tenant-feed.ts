import { Repeater, SlidingBuffer } from '@repeaterjs/repeater';
import type { Changes } from '../../platform/mongo/changes.ts';
import type { StoredApiKey } from './tenants.store.ts';
import type { Principal, Tenant } from './tenants.types.ts';

/** Maximum number of updates buffered for a slow subscriber; the oldest are dropped. */
const MAX_BUFFERED = 1_000;

interface FeedOptions<D, T> {
  collection: string;
  principal: Principal;
  tenant: Tenant;
  /** Converts a changed document to an update; null if the subscriber does not receive one. */
  pick: (document: D) => T | null;
}

/**
 * Publishes the changes that any process makes to a tenant's documents in one collection. Every change after the
 * returned promise resolves reaches the subscriber. Ends when the subscriber stops, or when the API key of the
 * subscription is revoked or expires.
 *
 * @throws the error of the database if it cannot open the change stream
 */
export async function tenantFeed<D extends { customerId: number }, T>(
  changes: Changes,
  { collection, principal, tenant, pick }: FeedOptions<D, T>,
): Promise<Repeater<T>> {
  const feed = new Repeater<T | typeof LISTENING>(async (push, stop) => {
    const stopDocuments = changes.listen<D>(collection, (document) => {
      const picked = document.customerId === tenant.customerId ? pick(document) : null;
      if (picked !== null) void push(picked);
    });
    const stopKeys = changes.listen<StoredApiKey>('apiKeys', (key) => {
      if (key._id.toHexString() === principal.keyId && key.revokedAt) stop();
    });
    const expiry = principal.expiresAt && setTimeout(stop, timerUntil(principal.expiresAt));
    void push(LISTENING);
    await stop;
    stopDocuments();
    stopKeys();
    if (expiry) clearTimeout(expiry);
  }, new SlidingBuffer(MAX_BUFFERED));
  // A repeater begins to listen with the first read.
  await feed.next();
  try {
    await changes.opened();
  } catch (error) {
    await feed.return();
    throw error;
  }
  return feed as Repeater<T>;
}

const LISTENING = Symbol('listening');

/** Longest timer of Node, 24 days; a longer subscription ends then, and the client subscribes again. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const timerUntil = (expiresAt: Date): number => Math.min(expiresAt.getTime() - Date.now(), MAX_TIMER_MS);
