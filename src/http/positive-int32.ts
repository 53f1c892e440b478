import { MAX_INT32 } from '../shared/int32.ts';

const POSITIVE_INT = /^[1-9]\d{0,9}$/;

/** Parses an id of a path or header; null if it is not a positive 32-bit integer. */
export function parsePositiveInt32(text: string): number | null {
  const id = POSITIVE_INT.test(text) ? Number(text) : 0;
  return id > 0 && id <= MAX_INT32 ? id : null;
}
