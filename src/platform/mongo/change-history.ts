import { type Connection, mongo } from 'mongoose';
import { AppError } from '../../errors/app-error.ts';
import { type ChangeId, endOfCommit, endOfTime, isChangeId, toChangeId, toResumeToken } from './change-id.ts';
import { READ_LIMIT } from './read-limits.ts';
import { isUnavailable } from './unavailable.ts';

/** How long the database waits for further changes at the end of its history. Milliseconds. */
const AWAIT_MS = 20;
/** Server error code for a change that is no longer in the oplog. */
const HISTORY_LOST = 286;

/** The history cannot begin after this id: no change has it. */
export class UnknownChangeError extends AppError {
  constructor() {
    super('VALIDATION_FAILED', 'No change has this id.');
  }
}

/** The changes are no longer in the oplog, or were not found in time. */
export class HistoryLostError extends AppError {
  constructor() {
    super('NOT_FOUND', 'The changes after this id can no longer be read.');
  }
}

/** A document as of now, and the change that caused the read. */
interface PastChange<D> {
  id: ChangeId;
  document: D;
}

export interface HistoryOptions {
  collection: string;
  /** Values of the fields of the documents. */
  filter: Readonly<Record<string, unknown>>;
  /** As sent by a client. */
  after: string;
}

/** Reads past changes of documents. */
export interface ChangeHistory<D> {
  /**
   * Returns the next change; null once `isPast` has returned false, or after `close`.
   * @param isPast returns false for an id after the last change to be read
   * @throws UnknownChangeError, HistoryLostError
   */
  next(isPast: (id: ChangeId) => boolean): Promise<PastChange<D> | null>;
  /** Ends a read in progress, which returns null. */
  close(): void;
}

/** Maps database errors. The database rejects a foreign id with one of many codes. */
function toHistoryError(error: unknown): unknown {
  if (!(error instanceof mongo.MongoServerError) || isUnavailable(error)) return error;
  return error.code === HISTORY_LOST ? new HistoryLostError() : new UnknownChangeError();
}

/** The event of a change stream that announces its first response. */
interface TokenSource {
  once(event: 'resumeTokenChanged', listener: () => void): unknown;
}

/** Resolves when the driver has the cursor of a stream, or when the first read has ended without it. */
export const openedOf = (stream: TokenSource, reading: Promise<unknown>): Promise<void> =>
  new Promise((resolve) => {
    // The driver emits the token of the first response before it stores the cursor.
    stream.once('resumeTokenChanged', () => setImmediate(resolve));
    reading.then(
      () => resolve(),
      () => resolve(),
    );
  });

/** Creates a reader of the changes after a given one. @throws UnknownChangeError */
export function createChangeHistory<D>(
  connection: Connection,
  { collection, filter, after }: HistoryOptions,
): ChangeHistory<D> {
  if (!isChangeId(after)) throw new UnknownChangeError();
  const db = connection.getClient().db(connection.name);
  const stream = db
    .collection(collection)
    .watch(
      [
        { $match: { operationType: { $in: ['insert', 'update'] } } },
        { $match: Object.fromEntries(Object.entries(filter).map(([k, v]) => [`fullDocument.${k}`, v])) },
      ],
      {
        fullDocument: 'updateLookup',
        resumeAfter: toResumeToken(after),
        maxAwaitTimeMS: AWAIT_MS,
        // The database returns the cursor before it searches, so that `close` can end the search.
        cursor: { batchSize: 0 },
      },
    );
  /** Resolves once the driver has the cursor, or has failed to open it; null before the first read. */
  let opening: Promise<void> | null = null;
  const closed = Promise.withResolvers<null>();
  let checked = false;
  let isClosed = false;

  /** Rejects an id of the future: the database would accept it, and return nothing until then. */
  async function checkCommitted(): Promise<void> {
    // Not `lastWrite`: the router of a sharded cluster does not report it.
    const { operationTime } = await db.command({ hello: 1 });
    if (after > endOfTime(operationTime as mongo.Timestamp)) throw new UnknownChangeError();
    checked = true;
  }

  async function read(isPast: (id: ChangeId) => boolean): Promise<PastChange<D> | null> {
    if (!checked) await checkCommitted();
    while (!isClosed) {
      const change = await stream.tryNext();
      if (!change) {
        if (isPast(endOfCommit(toChangeId(stream.resumeToken)))) continue;
        return null;
      }
      const id = toChangeId(change._id);
      if (!isPast(id)) return null;
      if ('fullDocument' in change && change.fullDocument) return { id, document: change.fullDocument as D };
    }
    return null;
  }

  function close(): void {
    // Two concurrent calls of the driver would leave the cursor open in the database.
    if (isClosed) return;
    isClosed = true;
    closed.resolve(null);
    // A cursor that the driver is opening would stay open in the database.
    void (opening ?? Promise.resolve()).then(() => stream.close()).catch(() => {});
  }

  async function next(isPast: (id: ChangeId) => boolean): Promise<PastChange<D> | null> {
    if (isClosed) return null;
    const limit = Promise.withResolvers<never>();
    const timer = setTimeout(() => limit.reject(new HistoryLostError()), READ_LIMIT.maxTimeMS);
    const reading = read(isPast);
    opening ??= openedOf(stream, reading);
    // Rejects later if the stream is closed before.
    reading.catch(() => {});
    try {
      return await Promise.race([reading, limit.promise, closed.promise]);
    } catch (error) {
      close();
      throw toHistoryError(error);
    } finally {
      clearTimeout(timer);
    }
  }

  return { next, close };
}
