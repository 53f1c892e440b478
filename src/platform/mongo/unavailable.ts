import { mongo } from 'mongoose';

/** Server error code of an operation that exceeded its `maxTimeMS`. */
const MAX_TIME_MS_EXPIRED = 50;

/** Returns whether the database aborted a read at its time limit. */
export const isTimedOut = (error: unknown): boolean =>
  error instanceof mongo.MongoServerError && error.code === MAX_TIME_MS_EXPIRED;

/** Returns whether an error means that the database is unreachable or has no primary; a retry may succeed. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof mongo.MongoServerSelectionError ||
  error instanceof mongo.MongoNetworkError ||
  error instanceof mongo.MongoNotConnectedError ||
  // Mongoose's counterpart of the first one is not a subclass of it.
  (error instanceof Error && error.name === 'MongooseServerSelectionError');
