import { setTimeout as sleep } from 'node:timers/promises';
import { createKeyedSerial } from '../platform/keyed-serial.ts';
import type { TenantRef } from '../platform/tenant-ref.ts';

/**
 * Pause after a large read, as a multiple of its duration and of the number of tenants with large reads: together,
 * they use at most a third of the time of the process, so that the requests and deliveries of other tenants proceed.
 */
const PAUSE_FACTOR = 3;
/** How long a tenant counts as active after a request. */
const ACTIVE_MS = 1_000;

/** The key of a request, with its tenant unless it is an admin key. */
interface Reader {
  keyId: string;
  tenant: TenantRef | null;
}

interface TurnOptions {
  /** Waits for other resources of the read, such as memory, before its turn begins; never rejects. */
  prepare?(): Promise<void>;
  /** Ends the wait of a read that has not begun; one that begins nevertheless must throw its reason. */
  signal?: AbortSignal;
}

/** Shares the time of the process among tenants that read much. */
export interface TenantTurns {
  /** Records a request: while only one tenant is active, its large reads follow each other without a pause. */
  recordRequest(reader: Reader): void;
  /** Executes a large read: a tenant executes one at a time. Resolves when the read is complete. */
  run<T>(reader: Reader, read: () => Promise<T>, options?: TurnOptions): Promise<T>;
}

/** @param now monotonic time in milliseconds */
export function createTenantTurns(now: () => number = () => performance.now()): TenantTurns {
  const serial = createKeyedSerial();
  const active = createActiveTenants(now);
  let reading = 0;

  return {
    recordRequest: (reader) => active.record(ownerOf(reader)),

    run(reader, read, { prepare, signal } = {}) {
      const owner = ownerOf(reader);
      return new Promise((resolve, reject) => {
        const leave = () => reject(signal?.reason);
        signal?.addEventListener('abort', leave);
        serial(owner, async () => {
          await prepare?.();
          signal?.removeEventListener('abort', leave);
          reading += 1;
          const startedAt = now();
          // Async: a read can throw before it returns a promise.
          const result = (async () => read())();
          resolve(result);
          await result.catch(() => {});
          if (active.hasOtherThan(owner)) await sleep((now() - startedAt) * PAUSE_FACTOR * reading);
          reading -= 1;
        });
      });
    },
  };
}

/** Returns the tenant of a key; an admin key takes turns of its own. */
const ownerOf = ({ tenant, keyId }: Reader): string => (tenant ? String(tenant.customerId) : keyId);

/** Remembers the last two owners that sent a request, each with the time of its last one. */
function createActiveTenants(now: () => number) {
  let latest = { owner: '', at: Number.NEGATIVE_INFINITY };
  let previous = latest;
  return {
    record(owner: string): void {
      if (owner !== latest.owner) previous = latest;
      latest = { owner, at: now() };
    },
    hasOtherThan(owner: string): boolean {
      const { at } = latest.owner === owner ? previous : latest;
      return now() - at < ACTIVE_MS;
    },
  };
}
