import { z } from 'zod';
import { isObject } from './is-object.ts';
import { isShallow } from './json-depth.ts';

const MAX_BYTES = 16 * 1024;
const MAX_DEPTH = 5;

/** Returns true if all numbers are finite: a literal such as 1e999 is parsed as Infinity. */
const isFiniteJson = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).every(isFiniteJson)
    : typeof value !== 'number' || Number.isFinite(value);

/**
 * Validates the custom properties of an event (contract 4). The depth is checked first: a value that is nested too deeply is
 * not traversed or serialized.
 */
export const customProperties = z
  .custom<Record<string, unknown>>(isObject, { error: 'Must be a JSON object.', abort: true })
  .refine((value) => isShallow(value, MAX_DEPTH), {
    error: `Must be nested at most ${MAX_DEPTH} levels deep.`,
    abort: true,
  })
  .refine(isFiniteJson, 'Must not contain numbers out of range.')
  .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_BYTES, {
    error: `Must be at most ${MAX_BYTES} bytes of JSON.`,
  });
