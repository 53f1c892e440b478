import { Repeater, SlidingBuffer } from '@repeaterjs/repeater';
import type { Changes } from '../../platform/mongo/change-stream.ts';
import type { StoredApiKey } from './api-key.store.ts';
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
 * returned promise resolves reaches the subscriber. Ends when the subscriber stops, when the API key of the
 * subscription is revoked or expires, or when changes may have been missed.
 *
 * @throws the error of the database if it cannot open the change stream
 */
export async function tenantFeed<D, T>(
  changes: Changes,
  { collection, principal, tenant, pick }: FeedOptions<D, T>,
): Promise<Repeater<T>> {
  const feed = new Repeater<T | typeof LISTENING>(async (push, stop) => {
    // After a gap the client subscribes again, which authenticates it again.
    const onGap = () => stop();
    const stopDocuments = changes.listen<D>(collection, tenant.customerId, {
      onChange(document) {
        const picked = pick(document);
        if (picked !== null) void push(picked);
      },
      onGap,
    });
    const stopKeys = changes.listen<StoredApiKey>('apiKeys', principal.keyId, {
      onChange({ revokedAt }) {
        if (revokedAt) stop();
      },
      onGap,
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
