import { mongo } from 'mongoose';

/** Server error code of an operation that exceeded its `maxTimeMS`. */
const MAX_TIME_MS_EXPIRED = 50;

/** Returns true if the database aborted a read at its time limit. */
export const isTimedOut = (error: unknown): boolean =>
  error instanceof mongo.MongoServerError && error.code === MAX_TIME_MS_EXPIRED;
/** Reports that no primary has responded within the time that a request may wait. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';

  constructor() {
    super('No primary of the database responds.');
  }
}

/** Error codes of a member that is not the primary or is shutting down: the retry of the driver found no primary either. */
const NO_PRIMARY_CODES = new Set<unknown>([91, 189, 10_107, 11_600, 11_602, 13_435, 13_436]);

/** Error codes of a router that reaches no primary of a shard: network errors, and its own search for one. */
const NO_SHARD_CODES = new Set<unknown>([6, 7, 89, 133, 9001]);

/** Returns the error that ended a bulk write: the driver wraps those of connections. */
export const causeOfBulkError = (error: unknown): unknown =>
  error instanceof mongo.MongoBulkWriteError && error.errorResponse instanceof Error
    ? error.errorResponse
    : error;

/** Returns true if an error means that the database is unreachable or has no primary; a retry may succeed. */
export function isUnavailable(reported: unknown): boolean {
  const error = causeOfBulkError(reported);
  return (
    error instanceof DatabaseUnavailable ||
    error instanceof mongo.MongoServerSelectionError ||
    error instanceof mongo.MongoNetworkError ||
    error instanceof mongo.MongoNotConnectedError ||
    (error instanceof mongo.MongoServerError &&
      (NO_PRIMARY_CODES.has(error.code) || NO_SHARD_CODES.has(error.code))) ||
    // Mongoose's counterpart of the second one is not a subclass of it.
    (error instanceof Error && error.name === 'MongooseServerSelectionError')
  );
}
