import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../logger.ts';
import type { CoherenceStore } from './coherence.store.ts';

/** How long a process may serve from its caches after a confirmed read of the fences. Milliseconds. */
export const LEASE_MS = 2_000;
/** Interval between two confirmed reads of the fences; each adds an entry to the oplog. Milliseconds. */
const CONFIRMATION_MS = 500;
/** Interval between two reads of the fences: `min` while the caches are in use, `max` if they are used rarely. Milliseconds. */
const INTERVAL_MS = { min: 100, max: 400 };
/** Time without use of the caches after which a process stops reading the fences. Milliseconds. */
const IDLE_MS = 5_000;
/** Interval at which a registration is renewed. Milliseconds. */
const RENEWAL_MS = 10_000;
/** Longest time that work waits for the lease before it begins. Milliseconds. */
const LEASE_WAIT_MS = 500;
/** Time limit for deregistering at the end of the process. Milliseconds. */
const CLOSE_MS = 1_000;

/** A cache that drops its values when a fence is raised, and when it is lowered. */
export interface CoherenceListener {
  /** Drops the cached value of a topic, and a load in progress, which may have read before the change. */
  drop(topic: string): void;
  clear(): void;
}

/** The part of the coherence protocol that lets a process cache; see `createCoherence`. */
export interface CoherenceMember {
  /** Returns true while cached values may be served. Acquires the lease in the background if there is none. */
  isLeased(): boolean;
  /** Returns true if a value of the topic may be cached, provided that it is read from now on. */
  mayCache(topic: string): boolean;
  subscribe(listener: CoherenceListener): void;
  /** Id of the current registration; null if there is none. */
  registration(): string | null;
  /** Drops topics, and keeps them out of the caches until `unfence`. */
  fence(id: string, topics: readonly string[]): void;
  unfence(id: string): void;
  /**
   * Runs work that uses values of topics after it has read them, such as a write; see `Coherence.awaitHolders`. A process
   * without a lease registers first, for half a second at most.
   */
  hold<T>(topics: readonly string[], work: () => Promise<T>): Promise<T>;
  /** Returns a check whether the work that holds one of the topics now has ended in this process. */
  releaseOf(topics: readonly string[]): () => boolean;
  close(): Promise<void>;
}

interface MemberOptions {
  store: CoherenceStore;
  /** False for a process that makes changes and caches nothing. */
  caches: boolean;
  log: Logger;
}

interface Registration {
  id: string;
  /** By the monotonic clock. */
  renewedAt: number;
  acknowledged: ReadonlySet<string>;
}

/** Work in progress that uses values of topics. */
interface Hold {
  topics: readonly string[];
}

/** The monotonic clock stops during a suspension, and the wall clock can be set back: both must agree. */
const instant = () => ({ monotonic: performance.now(), wall: Date.now() });

export function createCoherenceMember({ store, caches, log }: MemberOptions): CoherenceMember {
  const listeners: CoherenceListener[] = [];
  /** Fences of changes that this process makes. */
  const own = new Map<string, readonly string[]>();
  /** Fences found by the latest read. */
  let read: ReadonlyMap<string, readonly string[]> = new Map();
  let fencedTopics: ReadonlySet<string> = new Set();
  let registration: Registration | null = null;
  /** Start of the latest lease; null if the current registration has had none. */
  let leasedFrom: ReturnType<typeof instant> | null = null;
  let lease = Promise.withResolvers<void>();
  const holds = new Set<Hold>();
  /** By fence that was read: whether the work that held its topics then has ended. Only then is it acknowledged. */
  const releases = new Map<string, () => boolean>();
  let usedAt = 0;
  let running: Promise<void> | null = null;
  const closing = new AbortController();
  // The reads serve many requests.
  const outside = AsyncLocalStorage.snapshot();

  const drop = (topics: readonly string[]): void => {
    for (const topic of topics) for (const listener of listeners) listener.drop(topic);
  };
  const updateFencedTopics = (): void => {
    fencedTopics = new Set([...own.values(), ...read.values()].flat());
  };

  function releaseOf(topics: readonly string[]): () => boolean {
    const before = [...holds].filter((hold) => hold.topics.some((topic) => topics.includes(topic)));
    return () => !before.some((hold) => holds.has(hold));
  }

  /** Drops the topics of fences that are new or were lowered. */
  function update(fences: ReadonlyMap<string, readonly string[]>): void {
    for (const [id, topics] of fences)
      if (!read.has(id)) {
        drop(topics);
        releases.set(id, releaseOf(topics));
      }
    const lowered = [...read].filter(([id]) => !fences.has(id));
    for (const [id] of lowered) releases.delete(id);
    read = fences;
    updateFencedTopics();
    for (const [, topics] of lowered) drop(topics);
  }

  /** Returns the fences that can be acknowledged. */
  const releasedFences = (): string[] => [...read.keys()].filter((id) => releases.get(id)?.());

  /** Ends the lease and forgets the registration; the database may still have it. */
  function forget(): void {
    leasedFrom = null;
    registration = null;
    for (const listener of listeners) listener.clear();
  }

  async function register(): Promise<Registration> {
    const id = randomUUID();
    const renewedAt = performance.now();
    await store.register(id);
    return { id, renewedAt, acknowledged: new Set() };
  }

  async function deregister(): Promise<void> {
    const id = registration?.id;
    forget();
    if (id) await store.deregister(id, { isHolding: holds.size > 0 });
  }

  /** Acknowledges fences and renews the registration if necessary; returns false if the registration was removed. */
  async function confirm(current: Registration, fences: readonly string[]): Promise<boolean> {
    const renewedAt = performance.now();
    const isDue = renewedAt - current.renewedAt > RENEWAL_MS;
    if (!isDue && fences.every((id) => current.acknowledged.has(id))) return true;
    if (!(await store.confirm(current.id, fences))) return false;
    registration = { id: current.id, renewedAt, acknowledged: new Set(fences) };
    return true;
  }

  /** Reads the fences, which drops their topics, and renews the lease if a majority confirms the read. */
  async function renew(): Promise<void> {
    registration ??= await register();
    const current = registration;
    const sentAt = instant();
    const isConfirmation = !leasedFrom || sentAt.monotonic - leasedFrom.monotonic >= CONFIRMATION_MS;
    const { isRegistered, fences } = await store.read(current.id, isConfirmation ? LEASE_MS : null);
    update(fences);
    if (!isRegistered) return forget();
    try {
      if (!(await confirm(current, releasedFences()))) forget();
      else if (isConfirmation) {
        leasedFrom = sentAt;
        lease.resolve();
        lease = Promise.withResolvers();
      }
    } catch (error) {
      // A write with an unknown outcome could overwrite a later one: a new registration has another id.
      await deregister();
      throw error;
    }
  }

  async function run(): Promise<void> {
    let intervalMs = INTERVAL_MS.min;
    while (!closing.signal.aborted && (holds.size > 0 || performance.now() - usedAt < IDLE_MS)) {
      const usedBefore = usedAt;
      await renew().catch((error: unknown) => log.debug({ err: error }, 'failed to read the fences'));
      intervalMs = usedAt === usedBefore ? Math.min(2 * intervalMs, INTERVAL_MS.max) : INTERVAL_MS.min;
      await sleep(intervalMs, undefined, { ref: false, signal: closing.signal }).catch(() => {});
    }
    await deregister().catch((error: unknown) => log.debug({ err: error }, 'failed to deregister'));
  }

  /** Starts reading the fences, unless that is in progress. */
  function use(): void {
    usedAt = performance.now();
    if (!running && (caches || holds.size > 0) && !closing.signal.aborted)
      running = outside(run).finally(() => {
        running = null;
        // Work that began while the process deregistered waits for a lease.
        if (holds.size > 0) use();
      });
  }

  function isLeased(): boolean {
    use();
    if (!leasedFrom) return false;
    const { monotonic, wall } = leasedFrom;
    return usedAt - monotonic < LEASE_MS && Math.abs(Date.now() - wall) < LEASE_MS;
  }

  async function untilLeased(): Promise<void> {
    if (isLeased() || closing.signal.aborted) return;
    const waiting = new AbortController();
    const limit = sleep(LEASE_WAIT_MS, undefined, { ref: false, signal: waiting.signal }).catch(() => {});
    await Promise.race([lease.promise, limit]);
    waiting.abort();
  }

  return {
    isLeased,
    // Not before the first read: the registration may have been too late for the fence of an earlier change.
    mayCache: (topic) => leasedFrom !== null && !fencedTopics.has(topic),
    subscribe: (listener) => void listeners.push(listener),
    registration: () => registration?.id ?? null,
    fence(id, topics) {
      own.set(id, topics);
      updateFencedTopics();
      drop(topics);
    },
    unfence(id) {
      const topics = own.get(id) ?? [];
      own.delete(id);
      updateFencedTopics();
      drop(topics);
    },
    async hold(topics, work) {
      const hold = { topics };
      holds.add(hold);
      try {
        await untilLeased();
        return await work();
      } finally {
        holds.delete(hold);
      }
    },
    releaseOf,
    async close() {
      closing.abort();
      await Promise.race([running, sleep(CLOSE_MS, undefined, { ref: false })]);
    },
  };
}
