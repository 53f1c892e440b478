import { setTimeout as sleep } from 'node:timers/promises';
import type { Types } from 'mongoose';
import type { Clock } from '../../platform/clock.ts';
import { newObjectId } from '../../platform/mongo/object-id.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';

/** Longest time that a list waits for commits in progress; after this, it hides what is newer than the oldest of them. */
const MAX_WAIT_MS = 1_000;

/** A time and an id that precede all ids which are assigned later. */
export interface CommitMark {
  at: Date;
  id: Types.ObjectId;
}

interface Read<P> {
  /** Upper bound of the positions to read, exclusive; null for none. */
  before: P | null;
  /** Returns the position of a row that is created at the mark. */
  positionOf(mark: CommitMark): P;
}

/**
 * The order in which rows become visible, for lists that clients poll.
 *
 * Ids, and times of creation, are assigned before the commit, so a row can commit after one with a higher id is visible.
 * A client that reads newest first until an id that it knows, or in consecutive windows of time, would miss it. The rule:
 * **a read returns no row above one that may still commit.**
 *
 * - *Within a process* the rule is exact. Each commit is registered from before its ids are assigned until it has ended. A
 *   read waits for the commits that began before it, so it contains every row that its process has acknowledged. It
 *   excludes ids that were assigned after it began if a commit of the tenant began meanwhile, and everything from the
 *   oldest commit on that takes longer than a second.
 * - *Between processes* ids sort by the database's clock in milliseconds, but a read does not know the commits of the
 *   others. Every commit ends, or is refused, within `PUBLICATION_LIMIT_MS` of its ids. Hence ids older
 *   than `SETTLED_AFTER_MS` are the **watermark**: no commit of any process falls behind it, except for deliveries that a
 *   crash left out, which the repair then inserts. Consumers of all rows, such as retention, stay behind it; a client of
 *   several processes lets its windows overlap by as much (contract 4), or reads an event feed, whose order is exact over
 *   all processes without any bound on the time of a commit (`src/features/event-feeds/sequencer.ts`).
 *
 * The path of a commit costs no round trip, and a list one more read at most.
 */
export interface CommitOrder {
  /** Runs a commit that assigns its ids. @param tenant null for a commit that concerns several tenants */
  during<T>(tenant: TenantRef | null, commit: () => Promise<T>): Promise<T>;
  /** Reads a list of a tenant, in descending order of the positions. @param read reads the rows below a position */
  list<P extends string, R>(
    tenant: TenantRef,
    options: Read<P>,
    read: (before: P | null) => Promise<R>,
  ): Promise<R>;
}

interface OpenCommit {
  mark: CommitMark;
  ended: Promise<unknown>;
}

interface TenantCommits {
  /** Oldest first. */
  open: Set<OpenCommit>;
  /** Number of commits that have begun while this object exists. */
  begun: number;
  /** Number of lists that are being read. */
  reads: number;
}

/** Creates the order of the commits of this process. */
export function createCommitOrder(clock: Clock): CommitOrder {
  const byTenant = new Map<number | null, TenantCommits>();

  function commitsOf(customerId: number | null): TenantCommits {
    const known = byTenant.get(customerId) ?? { open: new Set(), begun: 0, reads: 0 };
    byTenant.set(customerId, known);
    return known;
  }

  function removeIfIdle(customerId: number | null): void {
    const { open, reads } = commitsOf(customerId);
    if (open.size === 0 && reads === 0) byTenant.delete(customerId);
  }

  function newMark(): CommitMark {
    const at = clock.now();
    return { at, id: newObjectId(at) };
  }

  async function during<T>(tenant: TenantRef | null, commit: () => Promise<T>): Promise<T> {
    const customerId = tenant?.customerId ?? null;
    const commits = commitsOf(customerId);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const entry = { mark: newMark(), ended };
    commits.open.add(entry);
    commits.begun += 1;
    try {
      return await commit();
    } finally {
      commits.open.delete(entry);
      end();
      removeIfIdle(customerId);
    }
  }

  /** Waits for commits, and returns the oldest that has not ended in time. */
  async function awaitAll(earlier: readonly OpenCommit[], isOpen: (commit: OpenCommit) => boolean) {
    if (earlier.length === 0) return undefined;
    const timeout = new AbortController();
    await Promise.race([
      Promise.all(earlier.map(({ ended }) => ended)),
      sleep(MAX_WAIT_MS, undefined, { ref: false, signal: timeout.signal }).catch(() => {}),
    ]);
    timeout.abort();
    return earlier.filter(isOpen).sort((a, b) => a.mark.at.getTime() - b.mark.at.getTime())[0];
  }

  return {
    during,
    async list({ customerId }, { before, positionOf }, read) {
      const groups = [commitsOf(customerId), commitsOf(null)];
      for (const commits of groups) commits.reads += 1;
      const begun = () => groups.reduce((sum, commits) => sum + commits.begun, 0);
      const begunBefore = begun();
      const start = newMark();
      const readBelow = (mark: CommitMark) => {
        const bound = positionOf(mark);
        return read(before !== null && before < bound ? before : bound);
      };
      try {
        const earlier = groups.flatMap(({ open }) => [...open]);
        const oldest = await awaitAll(earlier, (commit) => groups.some(({ open }) => open.has(commit)));
        if (oldest) return await readBelow(oldest.mark);
        const rows = await read(before);
        return begun() === begunBefore ? rows : await readBelow(start);
      } finally {
        for (const commits of groups) commits.reads -= 1;
        removeIfIdle(customerId);
        removeIfIdle(null);
      }
    },
  };
}
