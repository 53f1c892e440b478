import { Types } from 'mongoose';
import { unixSeconds } from '../clock.ts';

const OBJECT_ID = /^[0-9a-f]{24}$/;
/** Last second that an id can contain, in 2106. */
const MAX_SECONDS = 0xff_ff_ff_ff;

/** Returns true for an id as a client writes it. */
export const isObjectIdText = (value: unknown): value is string =>
  typeof value === 'string' && OBJECT_ID.test(value);

/** Converts ids and removes duplicates. */
export const objectIdsOf = (ids: readonly string[]): Types.ObjectId[] =>
  [...new Set(ids)].map((id) => new Types.ObjectId(id));

/**
 * Creates an id with the time of the service's clock, because lists are ordered by id. The millisecond
 * follows the second, and replaces two of the five bytes that the driver chooses at random for each process: otherwise
 * the ids of several processes would be unordered within a second.
 */
export function newObjectId(at: Date): Types.ObjectId {
  const id = Buffer.from(Types.ObjectId.generate(unixSeconds(at)));
  id.writeUInt16BE(at.getMilliseconds(), 4);
  return new Types.ObjectId(id);
}

/** Returns the lowest id that a document created in the second of `at` can have; ids contain no times after 2106. */
export const firstObjectIdOf = (at: Date): Types.ObjectId =>
  Types.ObjectId.createFromTime(Math.min(MAX_SECONDS, Math.max(0, unixSeconds(at))));
