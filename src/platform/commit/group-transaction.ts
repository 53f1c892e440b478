import { type Connection, mongo } from 'mongoose';
import { DURABLE } from '../mongo/connect.ts';
import { isUnconfirmed, WriteUnconfirmed } from '../mongo/unavailable.ts';
import type { Write } from './unit-of-work.ts';

/** A guarded write matched nothing: the state has changed since the unit was planned. */
export class GuardFailed extends Error {}

/** The database refused a write of one unit; `cause` is its error. */
export class UnitRefused extends Error {
  /** Index of the unit in its group. */
  readonly unit: number;

  constructor(unit: number, cause: unknown) {
    super('The database refused a write of a unit.', { cause });
    this.unit = unit;
  }
}

/**
 * Another transaction holds a document of the group. A killed process's transaction does so until the database aborts
 * it, by default after a minute.
 */
export class DocumentHeld extends Error {
  constructor(cause: unknown) {
    super('Another transaction holds a document.', { cause });
  }
}

/** Number of conflicts with other transactions after which a group is split. */
const MAX_CONFLICTS = 3;
/** Server error code of a write to a document that another transaction has changed. */
const WRITE_CONFLICT = 112;

/** A write with its unit's index in the group; null if it belongs to the events of the group. */
export interface OwnedWrite {
  write: Write;
  unit: number | null;
}

/**
 * Executes the writes of a group in one transaction: one bulk write per collection, in the order in which collections
 * first appear.
 *
 * @param requireNoOutage throws during an outage of durable writes; then nothing is committed
 * @throws GuardFailed, UnitRefused or DocumentHeld, and nothing is changed; WriteUnconfirmed if the commit was sent and
 *   its outcome is unknown
 */
export async function transact(
  connection: Connection,
  writes: OwnedWrite[],
  requireNoOutage: () => void,
): Promise<void> {
  const operations = Map.groupBy(writes, ({ write }) => write.collection);
  await inTransaction(connection, async (session) => {
    requireNoOutage();
    for (const [collection, ofCollection] of operations) await writeTo(collection, ofCollection, session);
    requireNoOutage();
    return commit(session, requireNoOutage);
  });
}

/**
 * Commits a transaction, and repeats a commit that a failover interrupts. Called within `withTransaction`, which would
 * by itself repeat an unacknowledged commit for two minutes.
 *
 * @returns false if the outcome is unknown
 */
async function commit(session: mongo.ClientSession, requireNoOutage: () => void): Promise<boolean> {
  for (;;) {
    try {
      await session.commitTransaction();
      return true;
    } catch (error) {
      if (!isUnknownCommit(error)) throw error;
      if (isUnconfirmed(error)) return false;
      try {
        requireNoOutage();
      } catch {
        return false;
      }
    }
  }
}

const isUnknownCommit = (error: unknown): boolean =>
  error instanceof mongo.MongoError &&
  error.hasErrorLabel(mongo.MongoErrorLabel.UnknownTransactionCommitResult);

async function writeTo(
  collection: mongo.Collection,
  writes: OwnedWrite[],
  session: mongo.ClientSession,
): Promise<void> {
  const operations = writes.map(({ write }) => write.operation);
  const guards = writes.reduce((sum, { write }) => sum + write.guards, 0);
  const result = await collection
    .bulkWrite(operations, { session, ordered: true })
    .catch((error: unknown) => {
      const unit = writes[firstWriteError(error) ?? -1]?.unit ?? null;
      throw unit === null ? error : new UnitRefused(unit, error);
    });
  if (result.matchedCount + result.deletedCount !== guards) throw new GuardFailed();
}

const isWriteConflict = (error: unknown): boolean =>
  error instanceof mongo.MongoServerError && error.code === WRITE_CONFLICT;

/** Returns the index of the failed write of a bulk write; null if the error names no single write. */
function firstWriteError(error: unknown): number | null {
  if (!(error instanceof mongo.MongoBulkWriteError)) return null;
  const [first] = [error.writeErrors].flat();
  return first?.index ?? null;
}

/**
 * Runs a transaction; `withTransaction` retries for up to two minutes after an election.
 * @param work commits the transaction; returns false if the outcome is unknown
 * @throws DocumentHeld after repeated conflicts with other transactions; WriteUnconfirmed
 */
async function inTransaction(
  connection: Connection,
  work: (session: mongo.ClientSession) => Promise<boolean>,
): Promise<void> {
  const session = await connection.getClient().startSession();
  let conflicts = 0;
  const attempt = async (): Promise<boolean> => {
    try {
      return await work(session);
    } catch (error) {
      if (isWriteConflict(error)) conflicts += 1;
      throw conflicts === MAX_CONFLICTS ? new DocumentHeld(error) : error;
    }
  };
  try {
    const options = { readConcern: { level: 'local' }, writeConcern: DURABLE } as const;
    if (!(await session.withTransaction(attempt, options))) throw new WriteUnconfirmed();
  } finally {
    await session.endSession();
  }
}
