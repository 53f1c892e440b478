import type { Connection } from 'mongoose';
import { AppError } from '../../errors/app-error.ts';
import { createBatcher } from '../batcher.ts';
import { exponentialDelayMs } from '../exponential-delay.ts';
import type { Logger } from '../logger.ts';
import type { WriteOutage } from '../mongo/outages.ts';
import { isUnavailable } from '../mongo/unavailable.ts';
import { type Runtime, systemRuntime } from '../runtime.ts';
import type { SpanReference, Traced, Tracing } from '../tracing/tracing.ts';
import {
  createGroupWrites,
  documentsOf,
  type Expansion,
  fail,
  halvesOf,
  type QueuedUnit,
  succeed,
} from './group.ts';
import { DocumentHeld, GuardFailed, transact, UnitRefused } from './group-transaction.ts';
import { createPublisher } from './publications.ts';
import type { Committed, Plan, UnitOfWork } from './unit-of-work.ts';

/** Commits units of work. @typeParam E an event @typeParam F the effect of an event, known after the commit */
export interface Committer<E, F> {
  /**
   * Commits a unit of work, durably, or rejects and changes nothing.
   *
   * @param plan called again when a concurrent change kept a guarded write of the unit from matching
   * @throws whatever `plan` throws, a duplicate-key error of the unit's own writes, or AppError `CONFLICT` when
   *   concurrent changes keep invalidating the plan. During an outage `DatabaseUnavailable`: nothing is changed, except
   *   with `WriteUnconfirmed`, since the commit may have been sent.
   */
  commit<T>(plan: Plan<E, T>): Promise<Committed<T, F>>;
  /** Number of units queued behind the current transaction. */
  backlog(): number;
  /** Resolves when no unit is queued or in progress. */
  idle(): Promise<void>;
}

interface CommitterDeps<E, F> {
  connection: Connection;
  expand: (events: E[]) => Promise<Expansion<F>>;
  /** Returns the tenant of an event. The documents of one tenant are on one shard. */
  tenantOf: (event: E) => number;
  log: Logger;
  tracing: Tracing | null;
  /** Rejects units that an outage interrupts; if absent, they wait for the time limits of the driver. */
  outages?: WriteOutage;
  runtime?: Runtime;
}

/** Maximum number of units in one group. */
const GROUP_SIZE = 200;
/** Maximum number of plans of a unit before it is rejected with `CONFLICT`. */
const MAX_PLANS = 20;
/** Bounds of the delay between two plans. */
const BACKOFF = { firstMs: 1, maxMs: 500 };
/** `Retry-After` of a `CONFLICT` by concurrent changes. */
const RETRY_AFTER_SECONDS = 1;

/** Backs off with full jitter: when many units change one document, only one of them succeeds at a time. */
const backOff = (tries: number, runtime: Runtime): Promise<void> =>
  runtime.sleep(runtime.random() * exponentialDelayMs(BACKOFF, tries));

/** Maximum number of publication groups in progress: the service builds the next while the database flushes its journal. */
const PARALLEL_PUBLICATIONS = 4;

/** Returns true if a unit only publishes one event: the insertion of one document commits it. */
const isPublication = ({ writes, events }: UnitOfWork<unknown, unknown>): boolean =>
  writes.length === 0 && events.length === 1;

/**
 * Commits units that arrive together as a group (group commit): a commit costs round trips and a journal flush,
 * however many documents it has.
 *
 * A unit that only publishes an event needs no transaction. The other units of a group share a transaction. If its error
 * names a unit, that unit is rejected and the others are committed together; otherwise the group is split, so that each
 * caller gets only its own error (contract 6).
 */
export function createCommitter<E extends Traced, F>({
  connection,
  expand,
  tenantOf,
  log,
  tracing,
  outages,
  runtime = systemRuntime,
}: CommitterDeps<E, F>): Committer<E, F> {
  const writes = createGroupWrites({ tracing, outages });
  /** Work outside the batchers: transactions of single units, and publications of single tenants. */
  const runningAlone = new Set<Promise<void>>();
  const publish = createPublisher<E, F>({ expand, tenantOf, writes, onContinued: runAlone, runtime });
  // One transaction at a time: with two, each group would be half as large.
  const groups = createBatcher<QueuedUnit<E, F>>(runGroup, { max: GROUP_SIZE, runtime });
  const publications = createBatcher<QueuedUnit<E, F>>(publish, {
    max: GROUP_SIZE,
    parallel: PARALLEL_PUBLICATIONS,
    runtime,
  });
  outages?.onBegin(() => {
    for (const { reject } of [...groups.takeBacklog(), ...publications.takeBacklog()])
      reject(outages.refusal());
  });

  /** @param alone true for a transaction of its own, outside the batcher */
  const enqueue = (
    unit: UnitOfWork<E, unknown>,
    { alone, origin }: { alone: boolean; origin?: SpanReference | undefined },
  ): Promise<F[]> =>
    new Promise((resolve, reject) => {
      const queued = { unit, origin, resolve, reject };
      if (isPublication(unit)) return publications.add(queued);
      if (!alone) return groups.add(queued);
      runAlone(runGroup([queued]));
    });

  function runAlone(work: Promise<void>): void {
    const run = work.finally(() => runningAlone.delete(run));
    runningAlone.add(run);
  }

  /** Opens a span for the caller; the transaction's own span links to it, since it serves many callers. */
  const traced = (
    unit: UnitOfWork<E, unknown>,
    alone: boolean,
    { activeSpan, withSpan }: Tracing,
  ): Promise<F[]> =>
    withSpan({ name: 'commit' }, () => {
      const origin = activeSpan();
      for (const event of unit.events) event.origin = origin;
      return enqueue(unit, { alone, origin });
    });

  async function runGroup(group: QueuedUnit<E, F>[]): Promise<void> {
    if (group.length === 0) return;
    try {
      await runInTransaction(group);
    } catch (error) {
      log.debug({ units: group.length, reason: (error as Error).name }, 'group aborted');
      if (error instanceof UnitRefused) {
        await runGroup(group.toSpliced(error.unit, 1));
        // Rejected after the others are committed: one of them may have written the conflicting document.
        return group[error.unit]?.reject(error.cause);
      }
      if (group.length === 1 || isUnavailable(error)) {
        return fail(group, null, error);
      }
      for (const half of halvesOf(group)) await runGroup(half);
    }
  }

  async function runInTransaction(group: QueuedUnit<E, F>[]): Promise<void> {
    const requireNoOutage = writes.outageCheck();
    const groupEvents = group.flatMap(({ unit }) => unit.events);
    const expansion = groupEvents.length > 0 ? await expand(groupEvents) : NO_EXPANSION;
    const ofUnits = group.flatMap(({ unit }, index) => unit.writes.map((write) => ({ write, unit: index })));
    const ofEvents = documentsOf(expansion).map((write) => ({ write, unit: null }));
    const execute = () =>
      transact(connection, [...ofUnits, ...ofEvents], () => {
        requireNoOutage();
        expansion.requireInTime?.();
      });
    try {
      await writes.write(group, 'transaction', execute);
    } catch (error) {
      expansion.aborted();
      throw error;
    }
    succeed(group, expansion);
  }

  return {
    async commit(plan) {
      const requireNoOutage = writes.outageCheck();
      // A unit that waits for a held document must not delay the other units.
      let alone = false;
      for (let tries = 1; ; tries += 1) {
        const unit = await plan();
        const { result } = unit;
        if (unit.writes.length === 0 && unit.events.length === 0) return { result, effects: [] };
        requireNoOutage();
        try {
          return {
            result,
            effects: await (tracing ? traced(unit, alone, tracing) : enqueue(unit, { alone })),
          };
        } catch (error) {
          if (!(error instanceof GuardFailed || error instanceof DocumentHeld)) throw error;
          if (tries >= MAX_PLANS)
            throw new AppError('CONFLICT', 'Conflicting concurrent updates; retry the request.', {
              cause: error,
              retryAfter: RETRY_AFTER_SECONDS,
            });
          alone ||= error instanceof DocumentHeld;
          await backOff(tries, runtime);
        }
      }
    },
    backlog: () => groups.backlog() + publications.backlog(),
    async idle() {
      await Promise.all([groups.idle(), publications.idle()]);
      await Promise.all(runningAlone);
    },
  };
}

const NO_EXPANSION: Expansion<never> = {
  events: [],
  derived: [],
  effects: [],
  committed: () => {},
  aborted: () => {},
};
