import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../errors/app-error.ts';
import { exponentialDelayMs } from '../exponential-delay.ts';
import type { Logger } from '../logger.ts';
import { type CoherenceStore, FENCE_TTL_MS } from './coherence.store.ts';
import { type CoherenceMember, LEASE_MS } from './coherence-member.ts';

/** Margin that a change waits beyond the lease: the clocks of two machines run at slightly different rates. Milliseconds. */
const MARGIN_MS = 200;
/** Pause between two checks for acknowledgements; it doubles each time. */
const CHECK_PAUSE = { firstMs: 10, maxMs: 100 };

/** Longest time that `awaitHolders` waits: its fence must not expire. Milliseconds. */
const HOLDERS_WAIT_MS = 20_000;

/** Makes changes visible to the caches of all processes. */
export interface Coherence
  extends Pick<CoherenceMember, 'isLeased' | 'mayCache' | 'subscribe' | 'hold' | 'close'> {
  /**
   * Changes values that processes cache under the topics. Once this resolves, no process serves an older value. Waits
   * until every process has dropped the topics, for at most 2.2 s if a process does not respond.
   *
   * @param make makes the change; report its success to a client only after `change` has resolved
   */
  change<T>(topics: readonly string[], make: () => Promise<T>): Promise<T>;
  /**
   * Returns true once all work that held the topic when it was called has ended, in every process; false if some may not
   * have after 20 seconds. Work that began later has read what a change before the call made.
   *
   * @param signal ends the wait, which then rejects
   */
  awaitHolders(topic: string, signal?: AbortSignal): Promise<boolean>;
}

interface CoherenceOptions {
  store: CoherenceStore;
  member: CoherenceMember;
  log: Logger;
}

interface Fence {
  id: string;
  /** By the monotonic clock. */
  raisedAt: number;
}

/**
 * Keeps caches coherent without a read per use. Caches know **topics**, such as an API key by its hash.
 *
 * - Each process that caches has a **registration**, and reads all fences every 100 ms. It serves from its caches only
 *   under a **lease**, which lasts 2 s from the sending of the latest confirmed read. That read must have found the
 *   registration, and no fence of a change that the process had not acknowledged. Every 500 ms a read is **confirmed**:
 *   after the read, a majority of the members acknowledges that the member that answered is the primary (read concern
 *   linearizable).
 * - A writer raises a **fence** with the topics of its change, waits until all registered processes have acknowledged
 *   it, makes the change, and lowers the fence. A process acknowledges a fence after it has dropped its topics, and
 *   caches nothing of them while the fence exists.
 * - The writer removes a registration without an acknowledgement after 2.2 s, before it makes its change.
 *
 * No process serves an old value after `change` has resolved:
 *
 * - A process that acknowledged the fence has dropped the topics, and a load that was in progress is not cached. What it
 *   reads after the fence is the new value.
 * - A process that did not acknowledge it can renew its lease only by a read that was sent before the fence existed, so
 *   its lease ends within 2 s of that time. A confirmed read that was sent later contains the fence, whichever member
 *   the process reaches: a majority has the fence, and confirms no primary of an earlier term. The removal and the
 *   acknowledgement are conditional writes to the same document, so exactly one of them succeeds. Without a registration,
 *   the process clears its caches and registers again before it caches anything.
 * - A process that registers after the writer has read the registrations finds the fence, or reads after it was lowered.
 * - A writer that was paused finds that its fence has expired, and raises another one before it resolves. The change of a
 *   writer that died is not acknowledged to any caller; the fence keeps its topics out of all caches until it expires.
 *
 * `change` ensures what work reads from its end on, not that work that has read an older value has ended. For that,
 * such work **holds** a topic, in a process that is registered, and `awaitHolders` raises a fence with it, which a
 * process acknowledges once the work that held the topic when it read the fence has ended. A fence without topics, right
 * after it, ends the registrations of processes that do not respond; their work counts as in progress for five more seconds,
 * since they may have been paused. So does the work of a process that ends its registration. Topics that are held are never
 * those of a change, and nothing is cached under them: a process acknowledges every fence of a change before it renews its
 * lease, also while it does not acknowledge one of `awaitHolders`.
 *
 * Registrations, acknowledgements and fences have write concern majority, so that a failover loses none of them. Leases
 * use the monotonic clock of their process; expiries are computed by the database.
 */
export function createCoherence({ store, member, log }: CoherenceOptions): Coherence {
  /** Waits until every other process has dropped the topics of a fence or has lost its lease. */
  async function awaitOthers({ id, raisedAt }: Fence): Promise<void> {
    const deadline = raisedAt + LEASE_MS + MARGIN_MS;
    for (let checks = 0; ; checks += 1) {
      const isLast = performance.now() > deadline;
      const silent = await store.withoutAcknowledgement(id, member.registration());
      if (silent.length === 0) return;
      if (isLast) {
        log.info({ processes: silent.length }, 'processes did not acknowledge a change in time');
        return store.expel(silent, id);
      }
      await sleep(exponentialDelayMs(CHECK_PAUSE, checks));
    }
  }

  async function raise(topics: readonly string[]): Promise<Fence> {
    const id = randomUUID();
    member.fence(id, topics);
    try {
      await store.raise(id, topics);
      const fence = { id, raisedAt: performance.now() };
      await awaitOthers(fence);
      return fence;
    } catch (error) {
      member.unfence(id);
      // In the background: the caller does not wait for a database that does not respond.
      store.lower(id).catch(() => {});
      throw error;
    }
  }

  /** Returns true if no other process may have work in progress that held the topic of a fence when it read that. */
  async function isReleasedByOthers(fence: string): Promise<boolean> {
    const silent = await store.withoutAcknowledgement(fence, member.registration());
    // The note is read after the registrations, since it is written before they are removed.
    return silent.length === 0 && !(await store.hasExpelled());
  }

  /** Removes a fence; returns false if it had expired. */
  async function lower({ id, raisedAt }: Fence): Promise<boolean> {
    try {
      return await store.lower(id);
    } catch (error) {
      // The change is made and visible; the fence expires by itself.
      if (performance.now() - raisedAt < FENCE_TTL_MS / 2) return true;
      throw error;
    } finally {
      member.unfence(id);
    }
  }

  return {
    isLeased: member.isLeased,
    mayCache: member.mayCache,
    subscribe: member.subscribe,
    hold: member.hold,
    close: member.close,
    async awaitHolders(topic, signal) {
      const deadline = performance.now() + HOLDERS_WAIT_MS;
      const isReleasedHere = member.releaseOf([topic]);
      const id = randomUUID();
      try {
        await store.raise(id, [topic]);
        // Expels processes that do not respond. The others find both fences in one read.
        await lower(await raise([]));
        for (let checks = 0; ; checks += 1) {
          if (isReleasedHere() && (await isReleasedByOthers(id))) return true;
          if (performance.now() > deadline) return false;
          await sleep(exponentialDelayMs(CHECK_PAUSE, checks), undefined, { signal });
        }
      } finally {
        // One that remains because of an error expires.
        await store.lower(id).catch(() => {});
      }
    },
    async change(topics, make) {
      let fence = await raise(topics);
      let result: Awaited<ReturnType<typeof make>>;
      try {
        result = await make();
      } catch (error) {
        // An error of the database leaves the outcome unknown: the fence stays until it expires.
        if (error instanceof AppError) await lower(fence).catch(() => {});
        else member.unfence(fence.id);
        throw error;
      }
      while (!(await lower(fence))) fence = await raise(topics);
      return result;
    },
  };
}
