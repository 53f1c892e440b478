import { mongo } from 'mongoose';

const { EJSON } = mongo.BSON;

/** Returns the position in a collection as text: ids keep their type. */
export const positionText = (position: unknown): string => EJSON.stringify(position, { relaxed: true });

/** Returns the position that `positionText` has converted. */
export const parsePosition = (text: string): unknown => EJSON.parse(text, { relaxed: true });
