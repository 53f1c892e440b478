import { mongo } from 'mongoose';

/** Server error code of an operation that exceeded its `maxTimeMS`. */
const MAX_TIME_MS_EXPIRED = 50;

/** Returns true if the database aborted a read at its time limit. */
export const isTimedOut = (error: unknown): boolean =>
  error instanceof mongo.MongoServerError && error.code === MAX_TIME_MS_EXPIRED;
/** No primary responded within the time that a request may wait. */
export class DatabaseUnavailable extends Error {
  override readonly name: string = 'DatabaseUnavailable';

  constructor(message = 'No primary of the database responds.') {
    super(message);
  }
}

/** A write was not sent, because a majority of the members does not acknowledge earlier writes. */
export class WritesUnavailable extends DatabaseUnavailable {
  override readonly name = 'WritesUnavailable';

  constructor() {
    super('A majority of the database does not acknowledge writes.');
  }
}

/** A write was sent and not acknowledged in time; it may become durable later. */
export class WriteUnconfirmed extends DatabaseUnavailable {
  override readonly name = 'WriteUnconfirmed';

  constructor() {
    super('The database did not acknowledge a write in time.');
  }
}

/** Error codes of a member that is not the primary or is shutting down; the driver's own retry has failed by then. */
const NO_PRIMARY_CODES = new Set<unknown>([91, 189, 10_107, 11_600, 11_602, 13_435, 13_436]);

/** Error codes of a router that cannot reach a shard's primary: network errors, and a failed search for the primary. */
const NO_SHARD_CODES = new Set<unknown>([6, 7, 89, 133, 9001]);

/** Returns the error that ended a bulk write: the driver wraps errors of connections. */
export const causeOfBulkError = (error: unknown): unknown =>
  error instanceof mongo.MongoBulkWriteError && error.errorResponse instanceof Error
    ? error.errorResponse
    : error;

/** Server error code of a write that a majority did not acknowledge within its `wtimeoutMS`. */
const WRITE_CONCERN_TIMEOUT = 64;

/** Returns true if a write was sent and not acknowledged in time; it may become durable later. */
export const isUnconfirmed = (error: unknown): boolean =>
  error instanceof WriteUnconfirmed ||
  (error instanceof mongo.MongoServerError && error.code === WRITE_CONCERN_TIMEOUT) ||
  (error instanceof mongo.MongoBulkWriteError &&
    error.result.getWriteConcernError()?.code === WRITE_CONCERN_TIMEOUT);

/**
 * Returns true if an error means that the database is unreachable, has no primary, or does not acknowledge writes; a
 * retry may succeed.
 */
export function isUnavailable(reported: unknown): boolean {
  const error = causeOfBulkError(reported);
  return (
    error instanceof DatabaseUnavailable ||
    isUnconfirmed(error) ||
    error instanceof mongo.MongoServerSelectionError ||
    error instanceof mongo.MongoNetworkError ||
    error instanceof mongo.MongoNotConnectedError ||
    (error instanceof mongo.MongoServerError &&
      (NO_PRIMARY_CODES.has(error.code) || NO_SHARD_CODES.has(error.code))) ||
    // By name: mongoose's own error is no subclass of `MongoServerSelectionError`, and the driver does not export the other.
    (error instanceof Error &&
      ['MongooseServerSelectionError', 'MongoWaitQueueTimeoutError'].includes(error.name))
  );
}
