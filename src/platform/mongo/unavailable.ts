import { mongo } from 'mongoose';

/** Whether an error says that the database cannot be reached, or has no primary just now: it may pass by itself. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof mongo.MongoServerSelectionError ||
  error instanceof mongo.MongoNetworkError ||
  error instanceof mongo.MongoNotConnectedError ||
  // What mongoose makes of the first of these is no subclass of it.
  (error instanceof Error && error.name === 'MongooseServerSelectionError');
