import { Types } from 'mongoose';
import { unixSeconds } from '../clock.ts';

/** Creates an id with the time of the service's clock, because lists are ordered by id. */
export const newObjectId = (at: Date): Types.ObjectId =>
  new Types.ObjectId(Types.ObjectId.generate(unixSeconds(at)));

/** Returns the lowest id that a document created in the second of `at` can have. */
export const firstObjectIdOf = (at: Date): Types.ObjectId =>
  Types.ObjectId.createFromTime(Math.max(0, unixSeconds(at)));
