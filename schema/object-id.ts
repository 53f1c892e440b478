import { z } from 'zod';

/** Validates the id of a document that has an ObjectId. */
export const objectId = z.string().regex(/^[0-9a-f]{24}$/, 'Must be an ID of 24 hexadecimal digits.');
