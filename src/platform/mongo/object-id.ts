import { Types } from 'mongoose';
import { unixSeconds } from '../clock.ts';

/** A new id that carries the time of our clock: lists are in the order of their ids. */
export const newObjectId = (at: Date): Types.ObjectId =>
  new Types.ObjectId(Types.ObjectId.generate(unixSeconds(at)));

/** The smallest id that a document made at that second can have. */
export const firstObjectIdOf = (at: Date): Types.ObjectId =>
  Types.ObjectId.createFromTime(Math.max(0, unixSeconds(at)));
