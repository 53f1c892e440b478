import { setTimeout as sleep } from 'node:timers/promises';
import type { Types } from 'mongoose';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { TenantRef } from '../tenant-ref.ts';
import type { Claim, Lease } from './lease.ts';

/** Work of one tenant that this process has claimed. */
interface Claimed {
  _id: Types.ObjectId;
  customerId: number;
  lease: Lease;
}

/** Items in progress in one process by default. High, because an item mostly waits for another system. */
const MAX_ACTIVE = 16;
/** Per tenant: its items wait for the same limits of the other system, and must not delay other tenants. */
const MAX_ACTIVE_PER_TENANT = 2;
/** After this time an item yields its slot to a waiting one and queues again: a backfill can take hours. */
const TURN_MS = 30_000;
/** How long an item must wait before it may take another's slot, so that an item that yielded does not return at once. */
const MIN_WAIT_MS = 5_000;

/** Restricts what a queue may return. */
export interface ClaimFilter {
  /** The only item that may be claimed; absent for any. */
  id?: Types.ObjectId;
  /** Tenants whose items must not be claimed. */
  exceptTenants: number[];
  /** The item must have been available since this time. */
  availableSince: Date;
}

interface Deps<C extends Claimed> {
  queue: {
    /** Claims the item that has been available for longest. */
    claim(filter: ClaimFilter): Promise<C | null>;
    release(tenant: TenantRef, claim: Claim): Promise<unknown>;
  };
  /** Works on a claimed item until the signal aborts. */
  work: (item: C, signal: AbortSignal) => Promise<void>;
  /** Name of an item in the log. */
  name: string;
  /** Items in progress in this process. */
  maxActive?: number;
  clock: Clock;
  log: Logger;
}

/** An item in progress. */
interface Active {
  id: Types.ObjectId;
  customerId: number;
  startedAt: Date;
  abort: AbortController;
  done: Promise<void>;
}

/**
 * Claims items from a queue and works on up to `maxActive` of them in this process. While all slots are in use, a
 * waiting item takes the slot of the item with the longest turn, once that turn has lasted `TURN_MS`.
 */
export function createRunner<C extends Claimed>({
  queue,
  work: workOn,
  name,
  maxActive = MAX_ACTIVE,
  clock,
  log,
}: Deps<C>) {
  const active = new Set<Active>();
  let closing = false;
  /** Claims in progress: each may start an item. */
  let claiming = 0;

  const release = ({ _id, customerId, lease: { token } }: C) =>
    queue.release({ customerId }, { id: _id, token });

  async function work(item: C, signal: AbortSignal): Promise<void> {
    try {
      await workOn(item, signal);
    } catch (error) {
      // Only an aborted item is released: after any other error the rest of the lease delays the next attempt.
      if (signal.aborted) await release(item);
      else throw error;
    }
  }

  function start(item: C): void {
    const { _id: id, customerId } = item;
    const abort = new AbortController();
    const done = work(item, abort.signal)
      .catch((error: unknown) =>
        log.error({ err: error, customerId, id: id.toHexString() }, `${name} interrupted by an error`),
      )
      .finally(() => active.delete(entry));
    const entry = { id, customerId, startedAt: clock.now(), abort, done };
    active.add(entry);
  }

  /** Returns the tenants that have as many items here as a tenant may have. */
  function busyTenants(): number[] {
    const counts = new Map<number, number>();
    for (const { customerId } of active) counts.set(customerId, (counts.get(customerId) ?? 0) + 1);
    return [...counts].flatMap(([tenant, count]) => (count >= MAX_ACTIVE_PER_TENANT ? [tenant] : []));
  }

  /** Returns by how many items `maxActive` would be exceeded after `more` are added; negative if there is room. */
  function excess(more: number): number {
    const kept = [...active].filter(({ abort }) => !abort.signal.aborted);
    return kept.length + more - maxActive;
  }

  /** Returns the items whose turn is over, longest turn first. */
  function overdue(): Active[] {
    const startedBy = clock.now().getTime() - TURN_MS;
    return [...active]
      .filter(({ startedAt, abort }) => startedAt.getTime() <= startedBy && !abort.signal.aborted)
      .sort((a, b) => a.startedAt.getTime() - b.startedAt.getTime());
  }

  /** Returns false when this process has no room, or no item is available. */
  async function claim(id?: Types.ObjectId): Promise<boolean> {
    if (closing || excess(claiming + 1) > overdue().length) return false;
    const waitMs = excess(claiming + 1) > 0 ? MIN_WAIT_MS : 0;
    claiming += 1;
    try {
      const item = await queue.claim({
        ...(id && { id }),
        exceptTenants: busyTenants(),
        availableSince: new Date(clock.now().getTime() - waitMs),
      });
      if (!item) return false;
      if (closing) await release(item);
      else {
        start(item);
        for (const { abort } of overdue().slice(0, Math.max(0, excess(0)))) abort.abort();
      }
      return true;
    } finally {
      claiming -= 1;
    }
  }

  return {
    /** Claims one item, if it is available and this process has room for it. */
    claim: (id: Types.ObjectId): Promise<boolean> => claim(id),

    /** Claims every available item: new, released, or left by a process that died. Returns true if there was one. */
    async claimAll(): Promise<boolean> {
      let hasClaimed = false;
      while (await claim()) hasClaimed = true;
      return hasClaimed;
    },

    /** Aborts local work on a cancelled item at once instead of at the next heartbeat. */
    abort(id: Types.ObjectId): void {
      for (const entry of active) if (entry.id.equals(id)) entry.abort.abort();
    },

    /** Aborts and releases every item, for other processes to continue. */
    async close(graceMs: number): Promise<void> {
      closing = true;
      for (const { abort } of active) abort.abort();
      const all = Promise.all([...active].map(({ done }) => done));
      await Promise.race([all, sleep(graceMs, undefined, { ref: false })]);
    },
  };
}

export type Runner = ReturnType<typeof createRunner>;
