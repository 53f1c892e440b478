import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection, mongo } from 'mongoose';
import { AppError } from '../../errors.ts';
import { createBatcher } from '../batcher.ts';
import type { Logger } from '../logger.ts';
import type { Traced, TracePoint, Tracing } from '../tracing/tracing.ts';
import { DURABLE } from './connect.ts';
import type { Write } from './write.ts';

/** What belongs together: the writes, and what its caller gets once they are committed. */
export interface UnitOfWork<E, T> {
  writes: Write[];
  /** Events that are to leave with the writes; `expand` makes writes of them. */
  events: E[];
  result: T;
}

/** Writes that a group's events mean, and what is to be done once it is known whether they took place. */
export interface Expansion {
  writes: Write[];
  committed(): void;
  aborted(): void;
}

export interface Committer<E> {
  /**
   * Runs a unit of work: all of it is committed, durably, when the promise resolves, or none of it.
   *
   * @param plan reads what it needs and describes the unit. It is called again when an update of it matched
   *   nothing, because somebody else was faster: it must then decide anew.
   * @throws whatever `plan` throws, or a driver's duplicate-key error of a write of this unit; `CONFLICT` when others
   *   were faster time and again.
   */
  commit<T>(plan: () => Promise<UnitOfWork<E, T>> | UnitOfWork<E, T>): Promise<T>;
  /** Units that wait for the transaction under way. */
  waiting(): number;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

interface CommitterDeps<E> {
  connection: Connection;
  expand: (events: E[]) => Promise<Expansion>;
  log: Logger;
  tracing: Tracing | null;
  /** Units that one transaction may hold. */
  groupSize?: number;
}

/** An update matched nothing: the state that the unit was planned on is gone. */
class GuardFailed extends Error {}

/** How often a unit is planned before its caller is told to come again. */
const MAX_PLANS = 20;
/** Longest pause before a unit is planned anew. Milliseconds. */
const MAX_PAUSE_MS = 500;

/**
 * Lets others go first, for a random time that doubles with each try: of many that want to change one thing only one
 * can win at a time, and the others must not meet again at once.
 */
const giveWay = (tries: number): Promise<void> => sleep(Math.random() * Math.min(2 ** tries, MAX_PAUSE_MS));

interface Waiting<E> {
  unit: UnitOfWork<E, unknown>;
  /** The span that it is committed in, for its caller. */
  origin: TracePoint | undefined;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * The one way to commit: units that arrive together share a transaction, since what a commit costs is its
 * round trips and the flush of the journal, not the documents in it. A group that aborts is tried one by one,
 * so that each caller gets only its own error (contract 6).
 */
export function createCommitter<E extends Traced>({
  connection,
  expand,
  log,
  tracing,
  groupSize = 200,
}: CommitterDeps<E>): Committer<E> {
  // One transaction at a time: with two the next group would be half as large by the time this one is committed.
  const groups = createBatcher<Waiting<E>>(runGroup, { max: groupSize });

  const enqueue = (unit: UnitOfWork<E, unknown>, origin?: TracePoint): Promise<void> =>
    new Promise((resolve, reject) => groups.add({ unit, origin, resolve, reject }));

  /** For its caller a unit is committed alone, and its deliveries come of that; the transaction is for many. */
  const traced = (unit: UnitOfWork<E, unknown>, { here, within }: Tracing): Promise<void> =>
    within({ name: 'commit' }, () => {
      const origin = here();
      for (const event of unit.events) event.origin = origin;
      return enqueue(unit, origin);
    });

  async function runGroup(group: Waiting<E>[]): Promise<void> {
    try {
      await transact(group);
      for (const waiting of group) waiting.resolve();
    } catch (error) {
      if (group.length === 1) return group[0]?.reject(error);
      log.debug({ units: group.length, reason: (error as Error).name }, 'group aborted, trying one by one');
      for (const waiting of group) await transact([waiting]).then(waiting.resolve, waiting.reject);
    }
  }

  async function transact(group: Waiting<E>[]): Promise<void> {
    const units = group.map((waiting) => waiting.unit);
    const expansion = await expand(units.flatMap((unit) => unit.events));
    try {
      const operations = byCollection([...units.flatMap((unit) => unit.writes), ...expansion.writes]);
      const run = () => inTransaction(connection, (session) => write(operations, session));
      if (operations.size > 0) await (tracing ? together(group, run, tracing) : run());
    } catch (error) {
      expansion.aborted();
      throw error;
    }
    expansion.committed();
  }

  return {
    async commit(plan) {
      for (let tries = 1; ; tries += 1) {
        const unit = await plan();
        if (unit.writes.length === 0 && unit.events.length === 0) return unit.result;
        try {
          await (tracing ? traced(unit, tracing) : enqueue(unit));
          return unit.result;
        } catch (error) {
          if (!(error instanceof GuardFailed)) throw error;
          if (tries >= MAX_PLANS)
            throw new AppError('CONFLICT', 'Too much changes here at once; try again.', { cause: error });
          await giveWay(tries);
        }
      }
    },
    waiting: groups.waiting,
    idle: groups.idle,
  };
}

/** Runs a group's transaction in a span that leads to the span of each of its units. */
const together = (group: Waiting<unknown>[], run: () => Promise<void>, { within }: Tracing): Promise<void> =>
  within(
    {
      name: 'transaction',
      parent: null,
      links: group.flatMap(({ origin }) => origin ?? []),
      attributes: { 'engagement.units': group.length },
    },
    run,
  );

interface Operations {
  list: mongo.AnyBulkWriteOperation[];
  /** Documents that the updates and removals have to match. */
  guards: number;
}

/** One bulk write a collection, in the order in which collections are first named. */
function byCollection(writes: Write[]): Map<mongo.Collection, Operations> {
  const operations = new Map<mongo.Collection, Operations>();
  for (const { collection, operation, guards } of writes) {
    const entry = operations.get(collection) ?? { list: [], guards: 0 };
    operations.set(collection, entry);
    entry.list.push(operation);
    entry.guards += guards;
  }
  return operations;
}

async function write(
  operations: Map<mongo.Collection, Operations>,
  session: mongo.ClientSession,
): Promise<void> {
  for (const [collection, { list, guards }] of operations) {
    const result = await collection.bulkWrite(list, { session, ordered: true });
    if (result.matchedCount + result.deletedCount !== guards) throw new GuardFailed();
  }
}

/** `withTransaction` tries again what an election or a write conflict has broken, for up to two minutes. */
async function inTransaction(
  connection: Connection,
  work: (session: mongo.ClientSession) => Promise<void>,
): Promise<void> {
  const session = await connection.getClient().startSession();
  try {
    await session.withTransaction(work, { readConcern: { level: 'local' }, writeConcern: DURABLE });
  } finally {
    await session.endSession();
  }
}
