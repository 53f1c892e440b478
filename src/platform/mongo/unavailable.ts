import { mongo } from 'mongoose';

/** Returns whether an error means that the database is unreachable or has no primary; a retry may succeed. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof mongo.MongoServerSelectionError ||
  error instanceof mongo.MongoNetworkError ||
  error instanceof mongo.MongoNotConnectedError ||
  // Mongoose's counterpart of the first one is not a subclass of it.
  (error instanceof Error && error.name === 'MongooseServerSelectionError');
